import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { FailureLog } from '../../src/lib/failure-log.ts';
import { openStore } from '../../src/storage/postgres/open-store.ts';
import { SpaceRegistry } from '../../src/storage/sql/vectors/space-registry.ts';
import { client } from '../support/http-client.ts';
import {
  engines,
  firstKey,
  newDatabase,
  runMemoryd,
  startServer,
  type TestDatabase,
} from '../support/server.ts';

const create = (database: TestDatabase) =>
  runMemoryd(database.url, ['database', 'create', '--partitions', '4']);

async function query<T>(database: TestDatabase, statement: string): Promise<T[]> {
  const connection = new Client({ connectionString: database.url });
  await connection.connect();
  try {
    return (await connection.query(statement)).rows as T[];
  } finally {
    await connection.end();
  }
}

/** Tables of users, that is, with `user_id`, and how many parts each has. */
const tables = `
  SELECT c.relname AS name, (SELECT count(*)::int FROM pg_inherits WHERE inhparent = c.oid) AS parts
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND a.attnum = 1
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'api_keys'`;

describe.runIf(engines.includes('postgres') && process.env.MEMORYD_TEST_POSTGRES_TEMPLATE === undefined)(
  '`memoryd database create --partitions`',
  () => {
    it('`memoryd database create --partitions` splits each table of users, and the store works as any other', async () => {
      const database = await newDatabase('postgres');
      expect(await create(database)).toMatchObject({ code: 0 });
      const split = await query<{ name: string; parts: number }>(database, tables);
      expect(split.length).toBeGreaterThan(20);
      expect(split.filter(({ parts }) => parts !== 4)).toEqual([]);
      const key = firstKey(database.url);
      const server = await startServer({ databaseUrl: database.url, env: { MEMORYD_API_KEY: key } });
      const http = client(server.url, key);
      await http.post('/api/memories', { content: 'Ana moved to Lisbon', conversationId: 'NEW' });
      const { body } = await http.get<{ data: unknown[] }>('/api/memories/search?q=lisbon');
      expect(body.data).toHaveLength(1);
      await server.stop();
      expect(await runMemoryd(database.url, ['check'])).toMatchObject({ code: 0 });
      await database.drop();
    }, 60_000);

    it('a user who is removed from a store that is split takes no row of another along', async () => {
      const database = await newDatabase('postgres');
      await create(database);
      const key = firstKey(database.url);
      const server = await startServer({ databaseUrl: database.url, env: { MEMORYD_API_KEY: key } });
      const added: { name: string; key: string }[] = [];
      for (const name of ['ana', 'bo', 'cyd', 'dan', 'eve', 'fay']) {
        const { stdout } = await runMemoryd(database.url, ['keys', 'create', '--user', name]);
        added.push({ name, key: /cmk_live_\S+/.exec(stdout)?.[0] ?? '' });
      }
      const count = async (own: string) => {
        const { body } = await client(server.url, own).get<{ data: unknown[] }>('/api/memories?limit=100');
        return body.data.length;
      };
      for (const each of added)
        for (let i = 0; i < 5; i++)
          await client(server.url, each.key).post('/api/memories', {
            content: `${each.name} ${i}`,
            conversationId: 'NEW',
          });
      expect(await runMemoryd(database.url, ['users', 'remove', 'ana', '--yes'])).toMatchObject({ code: 0 });
      expect(await Promise.all(added.slice(1).map((each) => count(each.key)))).toEqual([5, 5, 5, 5, 5]);
      await server.stop();
      expect(await runMemoryd(database.url, ['check'])).toMatchObject({ code: 0 });
      await database.drop();
    }, 60_000);

    it('`memoryd database create --partitions` refuses a database that is not empty, and an SQLite store', async () => {
      const database = await newDatabase('postgres');
      await query(database, 'CREATE TABLE invoices (id BIGINT)');
      const refused = await create(database);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('The database is not empty: it has invoices. Make a new database');
      expect(await query(database, tables)).toEqual([]);
      await database.drop();
      const file = await newDatabase('sqlite');
      expect(await create(file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Only a database of PostgreSQL is split'),
      });
      await file.drop();
    }, 60_000);

    it('migrations that come later make tables with as many parts as the others', async () => {
      const database = await newDatabase('postgres');
      // Stands for the table of the store before the migration; the migration makes all tables in `public`.
      await query(
        database,
        `CREATE SCHEMA older
         CREATE TABLE memories (user_id BIGINT) PARTITION BY HASH (user_id)
         CREATE TABLE p0 PARTITION OF memories FOR VALUES WITH (MODULUS 3, REMAINDER 0)
         CREATE TABLE p1 PARTITION OF memories FOR VALUES WITH (MODULUS 3, REMAINDER 1)
         CREATE TABLE p2 PARTITION OF memories FOR VALUES WITH (MODULUS 3, REMAINDER 2)`,
      );
      const url = new URL(database.url);
      url.searchParams.set('options', '-c search_path=public,older');
      const opened = await openStore(
        { url: url.toString(), connections: 1 },
        { spaces: new SpaceRegistry(undefined), failures: new FailureLog() },
      );
      await opened.close();
      const made = await query<{ name: string; parts: number }>(database, tables);
      expect(made.length).toBeGreaterThan(20);
      expect(made.filter(({ parts }) => parts !== 3)).toEqual([]);
      await database.drop();
    }, 60_000);
  },
);
