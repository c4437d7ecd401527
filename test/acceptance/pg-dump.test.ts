import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { awaitSteps } from '../support/await-steps.ts';
import { client } from '../support/http-client.ts';
import {
  engines,
  firstKey,
  newDatabase,
  runMemoryd,
  startServer,
  type TestDatabase,
} from '../support/server.ts';

const inRoot = fileURLToPath(new URL('../../scripts/postgres/in-root.sh', import.meta.url));
const [names, places, things] = [
  'Ana Ben Cleo Dora Emil',
  'Berlin Lisbon Oslo Quito',
  'boats clocks maps',
].map((words) => words.split(' '));
const sentences = names.flatMap((name) =>
  places.map((place, i) => `${name} moved to ${place} and repairs old ${things[i % things.length]}`),
);
const queries = [
  ...names.flatMap((name) => places.map((place) => `does ${name} live in ${place}`)),
  ...names.flatMap((name) => things.map((thing) => `${name} ${thing}`)),
  ...places.flatMap((place) => things.map((thing) => `who mends ${thing} in ${place}`)),
  ...sentences,
];
const methods = ['hybrid', 'semantic', 'keyword'];

/** What the tools of the server do, where they are: the test server is ours, or they are in PATH. */
function tool(name: string): (args: readonly string[], input?: Buffer) => Buffer {
  const run = (command: string, words: readonly string[]) => (args: readonly string[], input?: Buffer) =>
    execFileSync(command, [...words, ...args], {
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
  const inPath = run(name, []);
  const inServer = run('bash', [inRoot, name]);
  try {
    inServer(['--version']);
    return inServer;
  } catch {
    // No test server of ours.
    return inPath;
  }
}

async function searched(database: TestDatabase, key: string, store: boolean): Promise<string[]> {
  const server = await startServer({ databaseUrl: database.url, env: { MEMORYD_API_KEY: key } });
  const http = client(server.url, key);
  if (store) {
    for (const content of sentences) await http.post('/api/memories', { content, conversationId: 'NEW' });
    await awaitSteps(http, 20);
  }
  const found: string[] = [];
  for (const [i, query] of [...queries, ...queries].slice(0, 100).entries()) {
    const searchMethod = methods[i % methods.length];
    const { status, body } = await http.post<{ data: unknown[] }>('/api/memories/search', {
      query,
      searchMethod,
    });
    expect(status).toBe(200);
    found.push(JSON.stringify(body.data));
  }
  await server.stop();
  return found;
}

describe.runIf(engines.includes('postgres'))('a dump of PostgreSQL by pg_dump', () => {
  it('a dump of PostgreSQL by pg_dump restores everything into another database: 100 searches answer the same, and nothing is wrong', async () => {
    const [from, to] = [await newDatabase('postgres'), await newDatabase('postgres')];
    const key = firstKey(from.url);
    const before = await searched(from, key, true);
    const dump = tool('pg_dump')([from.url]);
    tool('psql')(['--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', to.url], dump);
    expect(await runMemoryd(to.url, ['check'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing is wrong.'),
    });
    expect(await searched(to, key, false)).toEqual(before);
    expect(new Set(before).size).toBeGreaterThan(50);
    for (const database of [from, to]) await database.drop();
  }, 240_000);
});
