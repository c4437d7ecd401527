import { expect, it } from 'vitest';
import { newDatabase } from '../../../test/support/database.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { openStore } from './open-store.ts';
import { Statistics } from './statistics.ts';

const topicsOfNewest = `EXPLAIN QUERY PLAN SELECT memories.seq FROM memories
  JOIN memory_topics ON memory_topics.user_id = memories.user_id AND memory_topics.memory_id = memories.id
  JOIN topics ON topics.user_id = memory_topics.user_id AND topics.id = memory_topics.topic_id
  WHERE memories.user_id = 1 AND memories.seq >= 1900 AND memories.seq < 2000`;

it('a store that grew since it was opened plans reads by what it has become', async () => {
  const database = await newDatabase('sqlite');
  const path = database.url.slice('sqlite:'.length);
  const store = await openStore(
    { path, exclusive: true },
    { spaces: new SpaceRegistry(), failures: new FailureLog() },
  );
  const statistics = new Statistics(store);
  const firstTable = () =>
    (store.read.prepare(topicsOfNewest).all() as { detail: string }[])[0]?.detail.split(' ')[1];
  const analyzeAll = async () => {
    for (let more = true; more; ) ({ more } = await statistics.slice());
  };
  await analyzeAll();
  await grow(store);
  expect(firstTable()).toBe('memory_topics');
  await analyzeAll();
  expect(firstTable()).toBe('memories');
  expect(await statistics.slice()).toEqual({ more: false, workedMs: 0 });
  store.close();
  await database.drop();
});

/** 2,000 memories of a user, two topics on each, a thousand topics. */
async function grow({ write }: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  write.pragma('foreign_keys = OFF');
  for (const [table, given] of [
    ['memories', { user_id: '1', id: "'m' || n", seq: 'n', doc: 'n', content: "'text'" }],
    ['memory_topics', { user_id: '1', memory_id: "'m' || (n % 2000)", topic_id: "'t' || (n / 4)" }],
    ['topics', { user_id: '1', id: "'t' || n" }],
  ] as const) {
    const values = new Map<string, string>(Object.entries(given));
    const columns = write.pragma(`table_info(${table})`) as { name: string; notnull: number; type: string }[];
    const needed = columns.filter(({ name, notnull }) => notnull === 1 || values.has(name));
    const exprs = needed.map(({ name, type }) => values.get(name) ?? (type === 'TEXT' ? "'x' || n" : 'n'));
    const rows = { memories: 2000, memory_topics: 4000, topics: 1000 }[table];
    write.exec(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${rows})
      INSERT INTO ${table} (${needed.map(({ name }) => name).join()}) SELECT ${exprs.join()} FROM c`);
  }
}
