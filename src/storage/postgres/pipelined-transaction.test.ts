import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { allEnded } from '../../lib/async.ts';
import type { Database } from '../sql/core/schema.ts';
import { executeCompiled } from '../sql/core/user-query.ts';
import { beginPipelined } from './pipelined-transaction.ts';
import { createPool, kyselyOver } from './pool.ts';

const insert = 'INSERT INTO numbers VALUES ($1)';
const unchanged = async (tx: Kysely<Database>) => tx;

describe.runIf(engines.includes('postgres'))('a pipelined transaction', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let db: Kysely<Database>;
  let used: pg.PoolClient;
  const failed: string[] = [];

  beforeAll(async () => {
    database = await newDatabase('postgres');
    pool = createPool(database.url, 2, { failed: (kind) => void failed.push(kind) });
    pool.on('acquire', (client) => {
      used = client;
    });
    db = kyselyOver(pool);
    await sql`CREATE TABLE numbers (n INT PRIMARY KEY)`.execute(db);
  });

  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  const add = (tx: Kysely<Database>, n: number) => executeCompiled(tx, insert, [n]);
  const added = async () => {
    const { rows } = await sql<{ n: number }>`DELETE FROM numbers RETURNING n`.execute(db);
    return rows.map(({ n }) => n).sort((a, b) => a - b);
  };

  it('sends a statement before those before it are answered', async () => {
    const key = 7;
    const { handle: blocking, commit: unblock } = await beginPipelined(db, unchanged);
    await executeCompiled(blocking, 'SELECT pg_advisory_xact_lock($1)', [key]);
    const { handle: tx, commit } = await beginPipelined(db, unchanged);
    const { stream } = (used as unknown as { connection: { stream: { bytesWritten: number } } }).connection;
    const ended: string[] = [];
    const waiting = executeCompiled(tx, 'SELECT pg_advisory_xact_lock($1)', [key]).then(() =>
      ended.push('lock'),
    );
    const before = stream.bytesWritten;
    const compiled = add(tx, 1).then(() => ended.push('compiled'));
    const built = sql`INSERT INTO numbers VALUES (2)`.execute(tx).then(() => ended.push('built'));
    await expect.poll(() => stream.bytesWritten).toBeGreaterThan(before + insert.length + insert.length);
    expect(ended).toEqual([]);
    await unblock();
    await allEnded([waiting, compiled, built]);
    expect(ended).toEqual(['lock', 'compiled', 'built']);
    await commit();
    expect(await added()).toEqual([1, 2]);
  });

  it('fails with the error of the statement that failed, and keeps what was written before the savepoint', async () => {
    const group = await beginPipelined(db, unchanged);
    const tx = group.handle;
    await add(tx, 1);
    await group.savepoint();
    await expect(allEnded([add(tx, 2), add(tx, 1), add(tx, 3)])).rejects.toThrow(/duplicate key/);
    await group.undo();
    await add(tx, 4);
    await group.commit();
    expect(await added()).toEqual([1, 4]);
  });

  it('rolls back if its first statements fail, and gives the connection back', async () => {
    for (let i = 0; i < 3; i++)
      await expect(
        beginPipelined(db, async (tx) => {
          await add(tx, 1);
          await sql`SELECT 1 / 0`.execute(tx);
        }),
      ).rejects.toThrow(/division by zero/);
    expect(pool.waitingCount).toBe(0);
    expect(await added()).toEqual([]);
  });

  it('refuses statements after its end', async () => {
    const { handle: tx, commit } = await beginPipelined(db, unchanged);
    await commit();
    await expect(add(tx, 1)).rejects.toThrow(/has ended/);
    await expect(sql`SELECT 1`.execute(tx)).rejects.toThrow(/has ended/);
    expect(await added()).toEqual([]);
  });

  it('whose connection ends fails every statement that waits, and the next one has another connection', async () => {
    const group = await beginPipelined(db, unchanged);
    const [{ pid }] = await executeCompiled<{ pid: number }>(
      group.handle,
      'SELECT pg_backend_pid() AS pid',
      [],
    );
    const sleeping = [
      executeCompiled(group.handle, 'SELECT pg_sleep(60)', []),
      add(group.handle, 1),
      add(group.handle, 2),
    ];
    const ends = Promise.allSettled(sleeping);
    await sql`SELECT pg_terminate_backend(${pid})`.execute(db);
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'STORAGE_UNAVAILABLE' } });
    await group.rollback().catch(() => undefined);
    const next = await beginPipelined(db, unchanged);
    await add(next.handle, 3);
    await next.commit();
    expect(await added()).toEqual([3]);
    expect(failed.length).toBeGreaterThan(0);
  });
});
