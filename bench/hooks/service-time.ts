import { readdirSync, readFileSync } from 'node:fs';
import { awaitSteps } from '../../test/support/await-steps.ts';
import { patientClient } from '../../test/support/http-client.ts';
import { randomFrom } from '../../test/support/random.ts';
import { type Engine, newDatabase, startServer } from '../../test/support/server.ts';
import { generateText } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';
import { type CalledHook, callHook } from './call-hook.ts';

const bulkSize = 500;
const warmUps = 5;
const derivedWithinMs = 1_800_000;

export interface TimedHook extends CalledHook {
  /** Processor time of all threads of the service, until the hook has its answer. */
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
    // The first search reads the user's index, for which no prompt waits.
    for (const query of prompts.slice(0, warmUps)) await http.post('/api/memories/search', { query });
    const timed: TimedHook[] = [];
    for (const prompt of prompts) {
      const before = spentMs(server.pid);
      const called = await callHook(server, prompt);
      timed.push({ ...called, serviceMs: spentMs(server.pid) - before });
    }
    return timed;
  } finally {
    await server.stop();
    await database.drop();
  }
}
