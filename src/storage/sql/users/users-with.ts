import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, UserTable } from '../core/schema.ts';
import { isActiveUser } from '../transfer/load-names.ts';

export interface UsersWithRows {
  readonly table: UserTable;
  /** Of rows of the table, with columns of it alone; an index that begins with the user should have them. */
  readonly condition: RawBuilder<unknown>;
  /** Users after this one. */
  readonly after: number;
  readonly limit: number;
  /** See `SqlDriver`. */
  readonly isDistributed: boolean;
}

/**
 * The first users of the store who have such rows, by their number: by leaps in the index from one user to the next.
 * Skips users who are being loaded or wait to be erased as a whole.
 */
export async function usersWith(db: Kysely<Database>, request: UsersWithRows): Promise<number[]> {
  const { table, condition, after, limit, isDistributed } = request;
  if (isDistributed) return usersOnNodesWith(db, request);
  const next = (last: RawBuilder<unknown>) =>
    sql`(SELECT user_id FROM ${sql.table(table)} WHERE ${condition} AND user_id > ${last} ORDER BY user_id LIMIT 1)`;
  const oneIfActive = sql`(SELECT CASE WHEN ${isActiveUser} THEN 1 ELSE 0 END FROM users WHERE id = due.user_id)`;
  const { rows } = await sql<{ user_id: number }>`
    WITH RECURSIVE due (user_id, found) AS (
      SELECT ${next(sql`${after}`)}, 0
      UNION ALL
      SELECT ${next(sql`due.user_id`)}, found + ${oneIfActive} FROM due
      WHERE due.user_id IS NOT NULL AND found + ${oneIfActive} < ${limit}
    )
    SELECT user_id FROM due WHERE user_id IS NOT NULL AND ${oneIfActive} = 1 ORDER BY found`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

/** As `usersWith`: each node reads all such rows, since recursion stays on one node. */
async function usersOnNodesWith(
  db: Kysely<Database>,
  { table, condition, after, limit }: UsersWithRows,
): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    SELECT DISTINCT due.user_id
    FROM (SELECT user_id FROM ${sql.table(table)} WHERE ${condition} AND user_id > ${after}) AS due
    JOIN users ON users.id = due.user_id WHERE ${isActiveUser} ORDER BY due.user_id LIMIT ${limit}`.execute(
    db,
  );
  return rows.map(({ user_id }) => user_id);
}
