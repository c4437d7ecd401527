import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailureLog } from '../../src/lib/failure-log.ts';
import {
  coordinatorTables,
  referenceTables,
  tablesByUser,
} from '../../src/storage/postgres/citus/distributed-tables.ts';
import { openStore } from '../../src/storage/postgres/open-store.ts';
import { SpaceRegistry } from '../../src/storage/sql/vectors/space-registry.ts';
import { installCitusStandIn } from '../support/citus-stand-in.ts';
import { client } from '../support/http-client.ts';
import {
  engines,
  firstKey,
  newDatabase,
  runMemoryd,
  startServer,
  type TestDatabase,
} from '../support/server.ts';

const distribute = ({ url }: TestDatabase) => runMemoryd(url, ['database', 'distribute']);

async function query<T>(database: TestDatabase, statement: string): Promise<T[]> {
  const connection = new Client({ connectionString: database.url });
  await connection.connect();
  try {
    return (await connection.query(statement)).rows as T[];
  } finally {
    await connection.end();
  }
}

async function openAs(url: string): Promise<void> {
  const opened = await openStore(
    { url, connections: 1 },
    { spaces: new SpaceRegistry(undefined), failures: new FailureLog() },
  );
  await opened.close();
}

const callsIn = async (database: TestDatabase) =>
  (await query<{ call: string }>(database, 'SELECT call FROM citus.calls ORDER BY place')).map(
    ({ call }) => call,
  );

/** Of a table, as the calls name it. */
const callOf = (table: string, schema = '') => {
  if (!tablesByUser.includes(table)) return `create_reference_table(${schema}${table})`;
  const group = table === tablesByUser[0] ? 'none' : tablesByUser[0];
  return `create_distributed_table(${schema}${table}, user_id, ${group})`;
};
const distributed = [...referenceTables, ...tablesByUser];

describe.runIf(engines.includes('postgres') && process.env.MEMORYD_TEST_POSTGRES_TEMPLATE === undefined)(
  '`memoryd database distribute`, with a stand-in for Citus',
  () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await newDatabase('postgres');
    });
    afterEach(() => database.drop());

    it('each table of the store is in one list: on each node, by user, or on the coordinator', async () => {
      await openAs(database.url);
      const tables = await query<{ name: string }>(
        database,
        `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
      );
      const listed = [...distributed, ...coordinatorTables];
      expect(tables.map(({ name }) => name).toSorted()).toEqual(listed.toSorted());
    });

    it('distributes each table once, in an order that its foreign keys allow, and the service goes on as before', async () => {
      await installCitusStandIn(database.url);
      const key = firstKey(database.url);
      const env = { MEMORYD_API_KEY: key };
      const before = await startServer({ databaseUrl: database.url, env });
      const { body } = await client(before.url, key).post<{ data: { id: string } }>('/api/memories', {
        content: 'Ana moved to Lisbon',
        conversationId: 'NEW',
      });
      await before.stop();
      expect(await distribute(database)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Distributed ${distributed.length} tables.`),
      });
      expect(await callsIn(database)).toEqual([
        ...distributed.map((table) => callOf(table)),
        ...distributed.map((table) => `truncate_local_data_after_distributing_table(${table})`),
      ]);
      expect(await distribute(database)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('The tables are distributed already.'),
      });
      expect(await query(database, 'SELECT FROM pg_partitioned_table')).toEqual([]);
      const server = await startServer({ databaseUrl: database.url, env });
      const http = client(server.url, key);
      expect(await http.get(`/api/memories/${body.data.id}`)).toMatchObject({ status: 200 });
      expect(await http.get('/api/memories/search?q=lisbon&searchMethod=keyword')).toMatchObject({
        body: { data: [{ id: body.data.id }] },
      });
      await http.post('/api/memories', {
        content: 'Ana works at Zebra Works in Lisbon',
        conversationId: 'NEW',
      });
      await expect
        .poll(() => query(database, 'SELECT count(*)::int AS count FROM jobs'))
        .toEqual([{ count: 0 }]);
      await server.stop();
      expect(await runMemoryd(database.url, ['check'])).toMatchObject({ code: 0 });
    });

    it('is repeated after an interruption; until then no other process opens the store', async () => {
      await installCitusStandIn(database.url);
      await distribute(database);
      await query(database, "DELETE FROM pg_dist_partition WHERE logicalrelid = 'memory_versions'::regclass");
      expect(await runMemoryd(database.url, ['check'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          'are distributed in part: `npx memoryd database distribute` was interrupted',
        ),
      });
      expect(await distribute(database)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('distributed memory_versions'),
      });
      expect(await runMemoryd(database.url, ['check'])).toMatchObject({ code: 0 });
    });

    it('tables that a later migration makes are distributed with it', async () => {
      await installCitusStandIn(database.url);
      // Stands for the store before the migration; the migration makes all tables in `public`.
      await query(
        database,
        `CREATE SCHEMA older CREATE TABLE memories (user_id BIGINT PRIMARY KEY);
        SELECT create_distributed_table('older.memories', 'user_id', colocate_with => 'none')`,
      );
      const url = new URL(database.url);
      url.searchParams.set('options', '-c search_path=public,older');
      await openAs(url.toString());
      expect((await callsIn(database)).slice(1)).toEqual(distributed.map((table) => callOf(table)));
    });

    it('the stand-in refuses what Citus refuses of keys', async () => {
      await installCitusStandIn(database.url);
      await query(
        database,
        `CREATE TABLE a (user_id BIGINT, id BIGINT, PRIMARY KEY (user_id, id));
        CREATE TABLE b (user_id BIGINT PRIMARY KEY, id BIGINT, FOREIGN KEY (user_id, id) REFERENCES a);
        CREATE TABLE c (user_id BIGINT, id BIGINT UNIQUE)`,
      );
      const make = (table: string) =>
        query(database, `SELECT create_distributed_table('${table}', 'user_id', colocate_with => 'none')`);
      await expect(make('b')).rejects.toThrow('referenced table "a" must be');
      await make('a');
      await expect(make('b')).rejects.toThrow('not colocated');
      await expect(make('c')).rejects.toThrow('do not include the partition column');
      await expect(query(database, `SELECT create_reference_table('b')`)).rejects.toThrow(
        'from reference tables',
      );
    });

    it('refuses with a sentence: SQLite, no extension, a store that is split, a service that runs', async () => {
      const file = await newDatabase('sqlite');
      expect(await distribute(file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Only a database of PostgreSQL is distributed'),
      });
      await file.drop();
      expect(await distribute(database)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not have the extension Citus'),
      });
      await installCitusStandIn(database.url);
      const server = await startServer({ databaseUrl: database.url });
      expect(await distribute(database)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('A `memoryd serve` is using this database'),
      });
      await server.stop();
      expect(await callsIn(database)).toEqual([]);
      const split = await newDatabase('postgres');
      await runMemoryd(split.url, ['database', 'create', '--partitions', '2']);
      await installCitusStandIn(split.url);
      expect(await distribute(split)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('are split by user already'),
      });
      await split.drop();
    });
  },
);
