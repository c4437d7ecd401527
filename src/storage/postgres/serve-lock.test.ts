import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { poll } from '../../../test/support/poll.ts';
import { connectTo, endConnections } from '../../../test/support/postgres-client.ts';
import { newUser, writeMemory } from '../contract/store-fixture.ts';
import { wordIndexer } from '../contract/word-indexer.ts';
import type { StorageEngine } from '../engine.ts';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import { openPostgresEngine } from './postgres-engine.ts';

describe.runIf(engines.includes('postgres'))('the serving lock', () => {
  let database: TestDatabase;
  let other: pg.Client;
  let engine: StorageEngine | undefined;
  beforeEach(async () => {
    database = await newDatabase('postgres');
    other = await connectTo(database.url);
  });
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
    await other.end();
    await database.drop();
  });

  const open = async (use: 'serve' | 'alone' | 'beside') => {
    engine = await openPostgresEngine({ url: database.url, connections: 4, indexer: wordIndexer, use });
    return engine;
  };
  const refused = expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' });

  const replace = () => other.query(`BEGIN; SELECT pg_advisory_xact_lock(${advisoryLocks.serving})`);
  const lapse = () => other.query('UPDATE serving_leases SET expires_at = 1');
  const leases = async () =>
    (await other.query('SELECT owner, place, expires_at::float8 AS until FROM serving_leases')).rows;

  it('the serving lock outlives its connection, and its lease is renewed over another', async () => {
    const store = await open('serve');
    const [before] = await leases();
    expect(await endConnections(database.url, { who: 'memoryd lock' })).toBe(1);
    await store.ping();
    await poll('the lease is renewed', async () =>
      (await leases())[0].until > before.until ? true : undefined,
    );
    expect(await leases()).toEqual([{ ...before, until: expect.any(Number) }]);
    expect(store.failures.counts).toEqual([]);
    await expect(
      openPostgresEngine({ url: database.url, connections: 4, indexer: wordIndexer, use: 'alone' }),
    ).rejects.toThrow(
      /^A `memoryd serve` is using this database: process \d+ on \S+ \(until 20\d\d-.*Z\)\. Stop all of them first/,
    );
    await store.close();
    engine = undefined;
    expect(await leases()).toEqual([]);
    await open('alone');
  });

  it('the serving lock leaves nothing on the server that a session holds', async () => {
    await open('serve');
    const { rows } = await other.query(
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    expect(rows).toEqual([]);
  });

  it('the serving lock of a killed process ends with its lease', async () => {
    await open('beside');
    await other.query(
      "INSERT INTO serving_leases VALUES ('killed', 'process 1 on away', 1, (extract(epoch FROM now()) * 1000)::bigint + 1500, 1)",
    );
    const replacing = () =>
      openPostgresEngine({ url: database.url, connections: 1, indexer: wordIndexer, use: 'alone' });
    await expect(replacing()).rejects.toThrow('process 1 on away');
    const store = await poll('the lease has ended', () => replacing().catch(() => undefined));
    await expect(replacing()).rejects.toThrow('A `memoryd restore` is replacing');
    await expect(
      openPostgresEngine({ url: database.url, connections: 1, indexer: wordIndexer, use: 'serve' }),
    ).rejects.toThrow('A `memoryd restore` is replacing');
    await store.close();
  });

  it('a service that lost it to a restore asks nothing of the database until the restore is done', async () => {
    const store = await open('serve');
    const user = await newUser(store);
    await lapse();
    await replace();
    await poll('the service knows', async () => (await store.ping().catch(() => true)) ?? undefined);
    await expect(writeMemory(store.forUser(user))).rejects.toEqual(refused);
    await expect(store.forUser(user).memories.count()).rejects.toEqual(refused);
    const isLockLost = async () =>
      store.failures.counts.some(({ task }) => task === 'serve_lock') || undefined;
    await poll('the failed renewal is counted', isLockLost);
    await other.query('ROLLBACK');
    await poll('the service works again', async () =>
      store.ping().then(
        () => true,
        () => undefined,
      ),
    );
    await writeMemory(store.forUser(user));
  });

  it('the serving lock keeps off the transactions of processes that do not know of the restore', async () => {
    const store = await open('beside');
    const user = await newUser(store);
    await replace();
    await expect(writeMemory(store.forUser(user))).rejects.toEqual(refused);
    await expect(newUser(store)).rejects.toEqual(refused);
    await other.query('ROLLBACK');
    await writeMemory(store.forUser(user));
  });

  it('of several processes, the one that has served longest leads, until its lease ends', async () => {
    const stop = new AbortController();
    const led: string[] = [];
    const follow = (name: string, store: StorageEngine) =>
      store.maintenance.leading?.(stop.signal).then(() => !stop.signal.aborted && led.push(name));
    const serve = () =>
      openPostgresEngine({ url: database.url, connections: 2, indexer: wordIndexer, use: 'serve' });
    const first = await open('serve');
    const second = await serve();
    await follow('first', first);
    const following = follow('second', second);
    const third = await serve();
    void follow('third', third);
    await first.close();
    engine = undefined;
    await following;
    expect(led).toEqual(['first', 'second']);
    // As of a process that was stopped for longer than its lease.
    await other.query(
      'UPDATE serving_leases SET expires_at = 1 WHERE since = (SELECT min(since) FROM serving_leases)',
    );
    await poll('the third leads', async () => led.includes('third') || undefined);
    const { rows } = await other.query('SELECT place FROM serving_leases ORDER BY since');
    expect(rows).toHaveLength(2);
    stop.abort();
    await second.close();
    await third.close();
  }, 60_000);
});
