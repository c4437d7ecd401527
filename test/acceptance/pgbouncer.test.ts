import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engines, newDatabase, postgresTestUrl, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { poll } from '../support/poll.ts';
import { readRows } from '../support/run-statement.ts';
import { runMemoryd, type Server, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

interface Found {
  readonly data: readonly { readonly content: string }[];
}

const locks = `SELECT objid FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const sessions = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
  AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

/** As docs/operations.md says. */
describe.runIf(engines.includes('postgres') && hasPgbouncer)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: Pgbouncer;
  let url: string;
  let folder: { path: string; remove(): void };
  beforeEach(async () => {
    database = await newDatabase('postgres');
    pooler = await startPgbouncer(postgresTestUrl ?? '');
    url = pooler.through(database.url);
    folder = newTempFolder('pooled');
  });
  afterEach(async () => {
    await pooler.stop();
    await database.drop();
    folder.remove();
  });

  const start = () => startServer({ databaseUrl: url });
  const search = async ({ url: address, key }: Server, word: string) =>
    (await client(address, key).get<Found>(`/api/memories/search?searchMethod=keyword&q=${word}`)).body.data;

  it('two services behind PgBouncer leave no lock when they have stopped, and restore works', async () => {
    const [a, b] = [await start(), await start()];
    const key = a.key;
    for (let i = 0; i < 20; i++) {
      const { status } = await client((i % 2 ? a : b).url, key).post('/api/memories', {
        content: `The kettle of note ${i} whistles.`,
      });
      expect(status).toBe(201);
    }
    expect(await search(a, 'kettle')).toHaveLength(20);
    expect(await search(b, 'kettle')).toHaveLength(20);
    const backup = join(folder.path, 'backup');
    expect(await runMemoryd(url, ['backup', backup])).toMatchObject({ code: 0 });
    await client(a.url, key).post('/api/memories', { content: 'The teapot came after the backup.' });
    expect(await a.stop()).toBe(0);
    const refused = await runMemoryd(url, ['restore', backup, '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`A \`memoryd serve\` is using this database: process ${b.pid} on `);
    expect(await b.stop()).toBe(0);

    // The sessions of the pooler go on.
    expect((await readRows(database, sessions)).length).toBeGreaterThan(0);
    expect(await readRows(database, locks)).toEqual([]);
    expect(await readRows(database, 'SELECT place FROM serving_leases')).toEqual([]);
    expect(await runMemoryd(url, ['restore', backup, '--yes'])).toMatchObject({ code: 0 });
    expect(await readRows(database, locks)).toEqual([]);
    const again = await start();
    expect(await search(again, 'kettle')).toHaveLength(20);
    expect(await search(again, 'teapot')).toHaveLength(0);
    expect((await runMemoryd(url, ['check'])).code).toBe(0);
    expect(await again.stop()).toBe(0);
  }, 180_000);

  it('a service that was killed behind PgBouncer keeps restore off until its lease ends, for 20 s', async () => {
    const server = await start();
    await client(server.url, server.key).post('/api/memories', { content: 'One memory.' });
    const backup = join(folder.path, 'backup');
    expect(await runMemoryd(url, ['backup', backup])).toMatchObject({ code: 0 });
    await server.kill();
    const restore = () => runMemoryd(url, ['restore', backup, '--yes']);
    const refused = await restore();
    const until = /process \d+ on \S+ \(until (\S+Z)\)/.exec(refused.stderr)?.[1];
    expect(Date.parse(until ?? '') - Date.now()).toBeLessThanOrEqual(20_000);
    const code = await poll(
      'restore works',
      async () => ((await restore()).code === 0 ? 0 : undefined),
      60_000,
    );
    expect(code).toBe(0);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until ?? ''));
    expect(await readRows(database, locks)).toEqual([]);
  }, 180_000);
});
