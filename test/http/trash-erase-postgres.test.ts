import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { postgresTestUrl } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { uniqueWord } from '../support/random.ts';

type One = { data: { id: string } };

const keywordIndexFiles = `SELECT pg_read_binary_file(pg_relation_filepath(indexrelid)) AS bytes
  FROM pg_index JOIN pg_class ON oid = indexrelid
  WHERE relname ~ '^keyword_documents_p\\d+_keys' AND relkind = 'i'`;
const statistics = `SELECT coalesce(string_agg(concat_ws(' ', most_common_vals, histogram_bounds, most_common_elems), ' '), '') AS text
  FROM pg_stats WHERE schemaname = 'public'`;
/** Texts of users that are no ids and of which PostgreSQL may keep statistics. */
const textsWithStatistics = `SELECT DISTINCT attname FROM pg_attribute AS own
  JOIN pg_class ON pg_class.oid = attrelid AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  WHERE atttypid IN ('text'::regtype, 'tsvector'::regtype) AND attstattarget IS DISTINCT FROM 0 AND attname !~ '(^|_)id$'
    AND (relname = 'users' OR EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = own.attrelid AND a.attname = 'user_id'))
  ORDER BY attname`;
/** Counted in the tables themselves: statistics of an idle connection reach `pg_stat_user_tables` up to ten seconds late. */
const ownTables = `SELECT relname FROM pg_stat_user_tables
  WHERE relid NOT IN (SELECT partrelid FROM pg_partitioned_table)`;
const withDeadRows = `${ownTables} AND (SELECT dead_tuple_count FROM pgstattuple(relid)) > 0 AND`;
/** In the tables of a user; a part of a table that has others alone does not count. */
const deadRows = `${withDeadRows} regexp_replace(relname, '_p\\d+$', '') <> ALL ($1) AND (relname !~ '_p\\d+$' OR relname LIKE '%' || $2)`;
const partOf = `SELECT substring(tableoid::regclass::text from '_p\\d+$') AS part FROM memories WHERE user_id = $1 LIMIT 1`;
const deadRowsOf = `${withDeadRows} relname = ANY ($1)`;
const unfinished = `SELECT 1 FROM store_counters WHERE name ~ '^erasings(_p[0-9]+)?$'`;
/** Tables of records that are no memories. */
const otherRecords = ['facts', 'fact_sources', 'artifacts', 'narratives'];
/** The service itself goes on changing these. */
const counters = ['store_counters', 'user_counters', 'store_info', 'serving_leases'];

let app: AppFixture | undefined;
let server: pg.Client | undefined;
afterEach(async () => {
  await server?.end();
  await app?.close();
  app = undefined;
});

/** Memories, facts and artifacts of `count` words from the number `from` on, once the server has seen them in an ANALYZE. */
async function write(
  http: Client,
  from: number,
  count: number,
  { memoriesOnly = false } = {},
): Promise<string[]> {
  const words = Array.from({ length: count }, (_, i) => uniqueWord(from + i));
  await mapConcurrently(words, 8, async (word, i) => {
    const { id } = (await http.post<One>('/api/memories', { content: `${word} again`, name: word })).body
      .data;
    if (memoriesOnly || i % 4 > 0) return;
    await http.post('/api/facts', { subject: word, predicate: 'likes', object: 'tea', memoryIds: [id] });
    await http.post('/api/artifacts', { content: word, type: 'code', name: word });
    await http.post('/api/narratives', { title: word, rootMemoryId: id });
    await http.post('/api/memories/search/feedback', { memoryId: id, action: 'selected', query: word });
  });
  return words;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('ANALYZE');
  await client.query('CREATE EXTENSION IF NOT EXISTS pgstattuple');
  return client;
}

/** The snapshot of a table that autovacuum analyses at that moment would keep dead rows from a vacuum. */
async function withoutAutovacuum(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ relname: string }>(ownTables);
  for (const { relname } of rows)
    await client.query(`ALTER TABLE ${client.escapeIdentifier(relname)} SET (autovacuum_enabled = false)`);
}

/** Which of `words` PostgreSQL shows in its statistics or has as keys of the keyword index. */
async function wordsIn(client: pg.Client, words: readonly string[]): Promise<string[]> {
  await client.query('CHECKPOINT');
  const indexes = (await client.query<{ bytes: Buffer }>(keywordIndexFiles)).rows;
  const [{ text }] = (await client.query<{ text: string }>(statistics)).rows;
  return words.filter((word) => indexes.some(({ bytes }) => bytes.includes(word)) || text.includes(word));
}

describe.skipIf(postgresTestUrl === undefined)('erasing for good on postgres', () => {
  it('erasing on PostgreSQL takes the words out of the index and the statistics in the background', async () => {
    app = await newAppFixture('postgres');
    const http = await app.newClient();
    // Of facts, artifacts and feedback nothing is left: ANALYZE looks at no empty table.
    const kept = await write(http, 1000, 20, { memoriesOnly: true });
    const words = await write(http, 0, 40);
    server = await connected(app.databaseUrl);
    const client = server;
    await withoutAutovacuum(client);
    // As a store of an earlier version has it.
    await client.query("INSERT INTO store_counters (name, value) VALUES ('erasings done', 1)");
    expect(await wordsIn(client, words)).toEqual(words);
    for (const path of ['narratives', 'memories', 'facts', 'artifacts']) {
      const list = await http.get<{ data: Record<string, string>[] }>(`/api/${path}?limit=200`);
      for (const record of list.body.data) {
        const text = JSON.stringify(record);
        if (words.some((word) => text.includes(word))) await http.delete(`/api/${path}/${record.id}`);
      }
    }
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash?limit=200');
    await mapConcurrently(trash.body.data, 8, ({ id }) => http.delete(`/api/trash/${id}`));
    app.startUpkeep();
    await expect.poll(() => wordsIn(client, words), { timeout: 60_000 }).toEqual([]);
    expect((await wordsIn(client, kept)).length).toBe(kept.length);
    await expect
      .poll(async () => (await client.query(deadRowsOf, [otherRecords])).rows, { timeout: 60_000 })
      .toEqual([]);
    const found = await http.get<{ data: unknown[] }>(`/api/memories/search?q=${kept[0]}&limit=5`);
    expect(JSON.stringify(found.body.data)).toContain(kept[0]);
  });

  it('erasing on PostgreSQL leaves no dead row, key or value in the statistics of a removed user', async () => {
    app = await newAppFixture('postgres');
    const [http, other] = [await app.newClient(), await app.newClient()];
    const words = await write(http, 0, 40);
    const kept = await write(other, 1000, 20);
    server = await connected(app.databaseUrl);
    await withoutAutovacuum(server);
    expect(await wordsIn(server, words)).toEqual(words);
    const { body } = await http.get<One>('/api/users/me');
    const user = (await app.services.users.list()).find(({ publicId }) => publicId === body.data.id);
    if (!user) throw new Error('no user');
    const [{ part }] = (await server.query<{ part: string | null }>(partOf, [user.id])).rows;
    await app.storage.users.erase(user);
    expect(await wordsIn(server, [...words, ...kept])).toEqual(kept);
    const { rows } = await server.query(deadRows, [[...counters, 'users'], part ?? '']);
    expect(rows).toEqual([]);
  });

  it('statistics have no texts of users: these columns, of fixed values, are the only texts with any', async () => {
    app = await newAppFixture('postgres');
    server = await connected(app.databaseUrl);
    const { rows } = await server.query<{ attname: string }>(textsWithStatistics);
    expect(rows.map(({ attname }) => attname).join(' ')).toBe(
      'action basis creation_method effective_state found_by found_type kind memory_type reason_kind role search_method state step',
    );
  });

  it('erasing on PostgreSQL removes rows that a transaction could still see, once it has ended', async () => {
    app = await newAppFixture('postgres');
    const http = await app.newClient();
    const [word] = await write(http, 0, 1);
    server = await connected(app.databaseUrl);
    await withoutAutovacuum(server);
    const reader = await connected(app.databaseUrl);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM memories');
    const { id } = (await http.get<{ data: One['data'][] }>('/api/memories')).body.data[0];
    await http.delete(`/api/memories/${id}`);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    await mapConcurrently(trash.body.data, 8, (entry) => http.delete(`/api/trash/${entry.id}`));
    const { rows } = await reader.query<{ content: string }>('SELECT content FROM memory_versions');
    expect(rows).toEqual([{ content: `${word} again` }]);
    app.startUpkeep();
    const waits = `SELECT 1 FROM pg_stat_activity
      WHERE query LIKE '%age(backend_xmin)%' AND datname = current_database() AND pid <> pg_backend_pid()`;
    await expect
      .poll(async () => (await server?.query(waits))?.rowCount, { timeout: 30_000 })
      .toBeGreaterThan(0);
    await reader.query('COMMIT');
    await reader.end();
    const client = server;
    // A vacuum passes over a page that is being read: nothing reads the table before it is done.
    await expect.poll(async () => (await client.query(unfinished)).rowCount, { timeout: 30_000 }).toBe(0);
    expect((await client.query(deadRowsOf, [['memory_versions']])).rows).toEqual([]);
  });
});
