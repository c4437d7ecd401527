import { type SelectQueryBuilder, sql } from 'kysely';
import type { UserDatabase } from './user-database.ts';

/** A store of one kind of record, for one user. */
export abstract class UserRecords {
  // Only declared: some twenty classes extend this one, and
  // V8 caches a field that a class defines for at most four.
  declare protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }
}

/** Number of rows of a query. */
export async function countRows<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, Record<never, never>>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('count')).$castTo<{ count: number | string }>();
  const { count } = await counted.executeTakeFirstOrThrow();
  return Number(count);
}
