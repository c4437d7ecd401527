import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { type Engine, engines, sqlitePath } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { readRows } from '../support/run-statement.ts';

let app: AppFixture | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

const text =
  'My uncle Zerubbabel lives in Llanfairpwll. Dr Zerubbabel Quagmirestore joined Quagmirestore Labs in May.';

async function written(http: Client, content: string): Promise<string> {
  const { body } = await http.post<{ data: { id: string } }>('/api/memories', {
    content,
    conversationId: 'NEW',
  });
  return body.data.id;
}

async function erase(http: Client, id: string): Promise<void> {
  await http.delete(`/api/memories/${id}`);
  const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
  for (const entry of body.data) expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
}

const tables = ['entities', 'facts', 'fact_entities', 'topics', 'topic_words'];
/** What hangs on versions, of which the states of other memories make more. */
const versionTables = [
  'entity_mentions',
  'fact_mentions',
  'derived_topics',
  'named_times',
  'vetoes',
  'derivations',
];

async function rowCounts(engine: Engine, url: string, counted = tables): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of counted)
    counts[table] = Number((await readRows({ engine, url }, `SELECT count(*) AS n FROM ${table}`))[0].n);
  return counts;
}

describe.each(engines)('erasing what was derived on %s', (engine) => {
  it('entities, facts and topics of an erased memory are gone from the tables, and those of others stay', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const kept = 'Marek uses Kafka for the nightly export.';
    await written(http, kept);
    await deriveAll(app.services);
    const before = await rowCounts(engine, app.databaseUrl);
    expect(before).toMatchObject({ facts: 1 });
    const id = await written(http, text);
    const repeated = await written(http, kept);
    await deriveAll(app.services);
    const between = await rowCounts(engine, app.databaseUrl);
    expect(between.facts).toBeGreaterThan(1);
    expect(between.entities).toBeGreaterThan(before.entities);
    for (const each of [id, repeated]) await erase(http, each);
    expect(await rowCounts(engine, app.databaseUrl)).toEqual(before);
  });

  it('what several versions of an erased memory said is gone with it', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const id = await written(http, text);
    await deriveAll(app.services);
    await http.put(`/api/memories/${id}`, { content: 'Marek uses Kafka for the nightly export.' });
    await deriveAll(app.services);
    await erase(http, id);
    const left = await rowCounts(engine, app.databaseUrl, [...tables, ...versionTables]);
    expect(Object.values(left).filter((rows) => rows > 0)).toEqual([]);
  });
});

describe('erasing what was derived on sqlite', () => {
  it('derived text of an erased memory is in the file no longer once DELETE is answered', async () => {
    app = await newAppFixture('sqlite');
    const http = await app.newClient();
    for (let i = 0; i < 20; i++) await written(http, `Marek uses Kafka for the nightly export ${i}.`);
    const id = await written(http, text);
    await deriveAll(app.services);
    const words = ['Zerubbabel', 'zerubbabel', 'Llanfairpwll', 'llanfairpwll', 'quagmirestore'];
    expect(wordsInFile(app.databaseUrl, words).length).toBeGreaterThan(3);
    await erase(http, id);
    expect(wordsInFile(app.databaseUrl, words)).toEqual([]);
  });
});

/** Which of `words` stand in the file or its WAL. */
function wordsInFile(url: string, words: readonly string[]): string[] {
  const path = sqlitePath(url);
  const bytes = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
  return words.filter((word) => bytes.includes(word));
}
