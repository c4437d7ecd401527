import { CompiledQuery, type DatabaseConnection, type Driver, Kysely } from 'kysely';
import { allEnded } from '../../lib/async.ts';
import type { Database } from '../sql/core/schema.ts';
import { executeDirectly } from '../sql/core/user-query.ts';
import type { WriteGroup } from '../sql/core/write-queue.ts';
import { postgresDialect } from './pool.ts';

interface TakenConnection {
  readonly connection: DatabaseConnection;
  readonly release: () => void;
}

function takeConnection(db: Kysely<Database>): Promise<TakenConnection> {
  return new Promise((resolve, reject) => {
    const take = (connection: DatabaseConnection) =>
      new Promise<void>((release) => resolve({ connection, release }));
    db.getExecutor().provideConnection(take).catch(reject);
  });
}

const refused = async () => {
  throw new Error('A transaction is begun, saved and ended by its group.');
};

/**
 * Statements on one connection, each sent without waiting for the answers to those before it, which libpq calls
 * pipeline mode; a transaction of Kysely sends one at a time. The server runs them in the order in which they were sent.
 * @param connectionOf throws once the transaction has ended: the connection is another's then
 */
function pipelined(connectionOf: () => DatabaseConnection): Kysely<Database> {
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connectionOf(),
    beginTransaction: refused,
    commitTransaction: refused,
    rollbackTransaction: refused,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
  const db = new Kysely<Database>({ dialect: { ...postgresDialect, createDriver: () => driver } });
  const execute = async <R>(sql: string, parameters: readonly unknown[]) => {
    const { rows } = await connectionOf().executeQuery<R>(CompiledQuery.raw(sql, parameters as unknown[]));
    return rows;
  };
  executeDirectly(db, execute, { isPipelined: true });
  return db;
}

/**
 * Begins a transaction on a connection of the pool, whose statements need not wait for one another.
 * @param prepare runs first and makes the handle of the group; its statements are sent together with BEGIN
 */
export async function beginPipelined<H>(
  db: Kysely<Database>,
  prepare: (tx: Kysely<Database>) => Promise<H>,
): Promise<WriteGroup<H>> {
  const { connection, release } = await takeConnection(db);
  let isOpen = true;
  const end = () => {
    isOpen = false;
    release();
  };
  const send = async (text: string) => void (await connection.executeQuery(CompiledQuery.raw(text)));
  const tx = pipelined(() => {
    if (!isOpen) throw new Error('The transaction of this statement has ended.');
    return connection;
  });
  // Also after a COMMIT that failed; the server warns of it if the transaction has ended.
  const rollback = async () => {
    if (isOpen) await send('rollback').finally(end);
  };
  let handle: H;
  try {
    [, handle] = await allEnded([send('begin'), prepare(tx)]);
  } catch (error) {
    // A failing rollback means a broken connection: the database has rolled back itself.
    await rollback().catch(() => undefined);
    throw error;
  }
  return {
    handle,
    savepoint: () => send('savepoint body'),
    release: () => send('release savepoint body'),
    undo: () => send('rollback to savepoint body'),
    commit: () => send('commit').then(end),
    rollback,
  };
}
