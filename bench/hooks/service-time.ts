import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { awaitSteps } from '../../test/support/await-steps.ts';
import { type Client, patientClient } from '../../test/support/http-client.ts';
import { randomFrom } from '../../test/support/random.ts';
import { type Engine, newDatabase, startServer } from '../../test/support/server.ts';
import { generateText } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';
import { type CalledHook, callHook } from './call-hook.ts';

const bulkSize = 500;
/** Rounds of the same questions before, in which V8 compiles what they need. */
const warmUps = 2;
const idleMs = 5000;
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

/** The call of the hook, without its process. */
async function askMcp(http: Client, query: string): Promise<void> {
  const params = { name: 'search', arguments: { query, maxTokens: 1480 } };
  const headers = { accept: 'application/json, text/event-stream' };
  await http.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
}

/** Hooks with these prompts before a service as it ships, with so many memories, all of them derived and embedded. */
export async function timeHooks(
  prompts: readonly string[],
  { engine, embedder, memories }: { engine: Engine; embedder: Record<string, string>; memories: number },
): Promise<readonly TimedHook[]> {
  const database = await newDatabase(engine);
  const server = await startServer({ databaseUrl: database.url, env: embedder });
  try {
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
    const searches = Array.from({ length: warmUps }, () => prompts).flat();
    for (const query of searches) await askMcp(http, query);
    const atRest = spentMs(server.pid);
    await wait(idleMs);
    const idleShare = (spentMs(server.pid) - atRest) / idleMs;
    const timed: TimedHook[] = [];
    for (const prompt of prompts) {
      const before = spentMs(server.pid);
      const called = await callHook(server, prompt);
      timed.push({ ...called, serviceMs: spentMs(server.pid) - before - idleShare * called.wallMs });
    }
    return timed;
  } finally {
    await server.stop();
    await database.drop();
  }
}
