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

  it('the serving lock is taken again when its connection broke, and the loss is counted', async () => {
    const store = await open('serve');
    expect(await endConnections(database.url, { who: 'memoryd lock' })).toBe(1);
    await poll('the lock is lost and taken again', async () => {
      const isLost = store.failures.counts.some(({ task }) => task === 'serve_lock');
      return isLost &&
        (await store.ping().then(
          () => true,
          () => false,
        ))
        ? true
        : undefined;
    });
    await expect(open('alone')).rejects.toThrow('A `memoryd serve` is using this database');
  });

  it('a service that lost it to a restore asks nothing of the database until the restore is done', async () => {
    const store = await open('serve');
    const user = await newUser(store);
    // Waits for the lock, and so gets it before the service can take it again.
    const restoring = other.query('SELECT pg_advisory_lock($1)', [advisoryLocks.serving]);
    await poll('the restore waits', async () => {
      const { rows } = await connectTo(database.url).then(async (client) => {
        const found = await client.query(
          "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
        );
        await client.end();
        return found;
      });
      return rows.length > 0 ? true : undefined;
    });
    await endConnections(database.url, { who: 'memoryd lock' });
    await restoring;
    await poll('the service knows', async () => (await store.ping().catch(() => true)) ?? undefined);
    await expect(writeMemory(store.forUser(user))).rejects.toEqual(refused);
    await expect(store.forUser(user).memories.count()).rejects.toEqual(refused);
    await other.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.serving]);
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
    await other.query('SELECT pg_advisory_lock($1)', [advisoryLocks.serving]);
    await expect(writeMemory(store.forUser(user))).rejects.toEqual(refused);
    await expect(newUser(store)).rejects.toEqual(refused);
    await other.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.serving]);
    await writeMemory(store.forUser(user));
  });
});
