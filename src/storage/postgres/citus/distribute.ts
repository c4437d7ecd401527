import { sql } from 'kysely';
import { FailureLog } from '../../../lib/failure-log.ts';
import { SpaceRegistry } from '../../sql/vectors/space-registry.ts';
import { openStore, type PostgresOptions } from '../open-store.ts';
import { distributeTable, referenceTables, tablesByUser, tablesToDistribute } from './distributed-tables.ts';

/**
 * Distributes the tables that are not yet, each in a transaction of its own: a run that was interrupted is repeated.
 * @param onTable called with each of them
 * @throws Error while a process serves, and if the database cannot be distributed
 */
export async function distributeStore(
  options: Pick<PostgresOptions, 'url' | 'wait'>,
  onTable: (table: string) => void,
): Promise<number> {
  const { db, close } = await openStore(
    { ...options, connections: 1, use: 'alone', statements: 'unnamed', isDistributing: true },
    { spaces: new SpaceRegistry(undefined), failures: new FailureLog() },
  );
  try {
    const tables = await tablesToDistribute(db);
    const unlimited = (body: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) =>
      db.transaction().execute(async (tx) => {
        await sql`SET LOCAL statement_timeout = 0`.execute(tx);
        await body(tx);
      });
    for (const table of tables) {
      await unlimited((tx) => distributeTable(tx, table));
      onTable(table);
    }
    // Also of a run that was interrupted. Each cascades to tables that refer to it, which must be distributed by then.
    for (const table of [...referenceTables, ...tablesByUser])
      await unlimited(async (tx) =>
        sql`SELECT truncate_local_data_after_distributing_table(${table}::regclass)`.execute(tx),
      );
    return tables.length;
  } finally {
    await close();
  }
}
