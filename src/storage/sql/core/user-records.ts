import { type SelectQueryBuilder, sql } from 'kysely';
import type { UserDatabase } from './user-database.ts';

/** A store of one kind of record of one user. */
export abstract class UserRecords {
  // Only declared: some twenty classes extend this one, and V8 finds a field that a class defines by itself only for four.
  declare protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }
}

/** How many rows a query has. */
export async function countRows<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, Record<never, never>>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('count')).$castTo<{ count: number | string }>();
  const { count } = await counted.executeTakeFirstOrThrow();
  return Number(count);
}
