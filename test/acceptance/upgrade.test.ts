import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailureLog } from '../../src/lib/failure-log.ts';
import { postgresMigrations } from '../../src/storage/postgres/migrations.ts';
import { createPool, kyselyOver as overPostgres } from '../../src/storage/postgres/pool.ts';
import { type Migration, migrate, statements } from '../../src/storage/sql/core/migrate.ts';
import type { Database } from '../../src/storage/sql/core/schema.ts';
import { kyselyOver as overSqlite } from '../../src/storage/sqlite/dialect.ts';
import { sqliteMigrations } from '../../src/storage/sqlite/migrations.ts';
import { engines, newDatabase, sqlitePath, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { readRows, runStatement } from '../support/run-statement.ts';
import { runMemoryd, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

interface Found {
  readonly meta: { readonly total: number };
}

/** A migration of a version to come. */
const nextMigration: Migration = {
  id: 2,
  name: 'lengths',
  run: statements([
    'ALTER TABLE memory_versions ADD COLUMN length INTEGER',
    'UPDATE memory_versions SET length = length(content)',
  ]),
};

/** Migrates the store as the next version does at its start. */
async function upgrade(store: TestDatabase): Promise<void> {
  const isPostgres = store.engine === 'postgres';
  const migrations = [...(isPostgres ? postgresMigrations() : sqliteMigrations), nextMigration];
  const db: Kysely<Database> = isPostgres
    ? overPostgres(createPool(store.url, 1, new FailureLog()))
    : overSqlite(new SqliteConnection(sqlitePath(store.url)));
  if (isPostgres) await db.transaction().execute((tx) => migrate(tx, migrations));
  else {
    await sql`BEGIN IMMEDIATE`.execute(db);
    await migrate(db, migrations);
    await sql`COMMIT`.execute(db);
  }
  await db.destroy();
}

let databases: TestDatabase[];
let folder: { path: string; remove(): void };
beforeEach(() => {
  databases = [];
  folder = newTempFolder('upgrade');
});
afterEach(async () => {
  for (const database of databases) await database.drop();
  folder.remove();
});

async function newStore(engine: (typeof engines)[number]): Promise<TestDatabase> {
  const database = await newDatabase(engine);
  databases.push(database);
  return database;
}

/** As docs/deploy.md says. */
describe.each(engines)('an upgrade on %s', (engine) => {
  it('a next version migrates a store with data; the older one serves it where it only adds, and goes on from the backup that was made before', async () => {
    const store = await newStore(engine);
    const server = await startServer({ databaseUrl: store.url });
    await client(server.url, server.key).post('/api/memories', { content: 'from before the upgrade' });
    const backup = join(folder.path, 'before-upgrade');
    expect(await runMemoryd(store.url, ['backup', backup])).toMatchObject({ code: 0 });
    await server.stop();
    await upgrade(store);
    expect(await readRows(store, 'SELECT length FROM memory_versions')).toEqual([{ length: 23 }]);
    expect(await readRows(store, 'SELECT name FROM schema_migrations ORDER BY id')).toEqual([
      { name: 'first release' },
      { name: 'lengths' },
    ]);

    const older = await startServer({ databaseUrl: store.url, env: { MEMORYD_API_KEY: server.key } });
    expect(older.output()).toContain(
      'The store is of version 2, this program knows up to 1, and works with it',
    );
    await client(older.url, server.key).post('/api/memories', { content: 'from after it, by the older one' });
    await older.stop();
    // What reads or writes the whole store would miss what it does not know.
    const refused = { code: 1, stderr: expect.stringContaining('only its `serve` works with it') };
    expect(await runMemoryd(store.url, ['check'])).toMatchObject(refused);
    await runStatement(store, 'UPDATE schema_migrations SET needs = 2 WHERE id = 2');
    expect(await runMemoryd(store.url, ['serve'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('and the store needs one that knows 2'),
    });
    await runStatement(store, 'UPDATE schema_migrations SET needs = 1 WHERE id = 2');
    const inPlace = await runMemoryd(store.url, ['restore', backup, '--yes']);
    // PostgreSQL wants a new database: an older memoryd does not open the newer one.
    if (engine === 'postgres') expect(inPlace).toMatchObject(refused);
    const target = engine === 'postgres' ? await newStore(engine) : store;
    if (engine === 'postgres')
      expect(await runMemoryd(target.url, ['restore', backup])).toMatchObject({ code: 0 });

    const again = await startServer({ databaseUrl: target.url, env: { MEMORYD_API_KEY: server.key } });
    const { body } = await client(again.url, server.key).get<Found>('/api/memories/search?q=upgrade');
    expect(body.meta.total).toBe(1);
    await again.stop();
  }, 120_000);

  it('a store from before the first release is refused', async () => {
    const store = await newStore(engine);
    await (await startServer({ databaseUrl: store.url })).stop();
    await runStatement(store, "UPDATE schema_migrations SET name = 'initial' WHERE id = 1");
    expect(await runMemoryd(store.url, ['serve'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('from before the first release, which this program does not open'),
    });
  }, 60_000);
});
