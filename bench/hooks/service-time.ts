import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { awaitSteps } from '../../test/support/await-steps.ts';
import { type Client, patientClient } from '../../test/support/http-client.ts';
import { randomFrom } from '../../test/support/random.ts';
import { type Engine, newDatabase, type Server, startServer } from '../../test/support/server.ts';
import { generateText } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';
import { type CalledHook, callHook } from './call-hook.ts';

const bulkSize = 500;
/** Rounds of the same questions before, in which V8 compiles what they need. */
const warmUps = 2;
const idleMs = 5000;
/** A service is at rest if it took less of a processor than this for a second. */
const restShare = 0.05;
const restWithinMs = 60_000;
const derivedWithinMs = 1_800_000;

export interface TimedHook extends CalledHook {
  /** Processor time of all threads of the service until the hook has its answer, beyond the share of its idle time. */
  readonly serviceMs: number;
}

/** Processor time of the threads of a process so far, in ms. A thread that ended is no longer in it. */
function spentMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const spent = readdirSync(tasks).map((id) =>
    Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** The call of the hook, without its process, and with patience. */
async function askMcp(http: Client, query: string): Promise<CalledHook> {
  const began = performance.now();
  const params = { name: 'search', arguments: { query, maxTokens: 1480 } };
  const headers = { accept: 'application/json, text/event-stream' };
  await http.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  return { added: undefined, processMs: 0, wallMs: performance.now() - began };
}

/** Waits until what a service does after its start has ended. @returns ms of processor time for each ms of idle time */
async function idleShareOf(pid: number): Promise<number> {
  const shareWithin = async (ms: number) => {
    const before = spentMs(pid);
    await wait(ms);
    return (spentMs(pid) - before) / ms;
  };
  const until = performance.now() + restWithinMs;
  while ((await shareWithin(1000)) > restShare && performance.now() < until);
  return shareWithin(idleMs);
}

async function timePrompts(
  server: Server,
  prompts: readonly string[],
  call: (prompt: string) => Promise<CalledHook> = (prompt) => callHook(server, prompt),
): Promise<TimedHook[]> {
  const idleShare = await idleShareOf(server.pid);
  const timed: TimedHook[] = [];
  for (const prompt of prompts) {
    const before = spentMs(server.pid);
    const called = await call(prompt);
    timed.push({ ...called, serviceMs: spentMs(server.pid) - before - idleShare * called.wallMs });
  }
  return timed;
}

async function fill(server: Server, memories: number): Promise<void> {
  const http = patientClient(server.url, server.key);
  const random = randomFrom(7);
  const words = englishWords();
  for (let done = 0; done < memories; done += bulkSize) {
    const made = Array.from({ length: Math.min(bulkSize, memories - done) }, () => ({
      content: generateText(random, words),
    }));
    const { status, text } = await http.post('/api/memories/bulk', { memories: made });
    if (status !== 200) throw new Error(`${status}: ${text.slice(0, 300)}`);
  }
  await awaitSteps(http, 1000, derivedWithinMs);
}

export interface TimedHooks {
  /** The first prompts of a service that does not warm up. */
  readonly cold: readonly TimedHook[];
  /** The first prompts of a service as it ships. */
  readonly first: readonly TimedHook[];
  /** After further rounds of them. */
  readonly warm: readonly TimedHook[];
}

/** Hooks with these prompts before services with so many memories, all of them derived and embedded. */
export async function timeHooks(
  prompts: readonly string[],
  { engine, embedder, memories }: { engine: Engine; embedder: Record<string, string>; memories: number },
): Promise<TimedHooks> {
  const database = await newDatabase(engine);
  const within = async <T>(env: Record<string, string>, act: (server: Server) => Promise<T>): Promise<T> => {
    const server = await startServer({ databaseUrl: database.url, env: { ...embedder, ...env } });
    try {
      return await act(server);
    } finally {
      await server.stop();
    }
  };
  try {
    await within({}, (server) => fill(server, memories));
    const cold = await within({ MEMORYD_WARM_UP_TIMEOUT_MS: '0' }, (server) => {
      const http = patientClient(server.url, server.key);
      // Hooks give up after 2 s, which such a service can take on a busy machine.
      return timePrompts(server, prompts, (prompt) => askMcp(http, prompt));
    });
    return await within({}, async (server) => {
      const first = await timePrompts(server, prompts);
      const http = patientClient(server.url, server.key);
      for (const query of Array.from({ length: warmUps }, () => prompts).flat()) await askMcp(http, query);
      return { cold, first, warm: await timePrompts(server, prompts) };
    });
  } finally {
    await database.drop();
  }
}
