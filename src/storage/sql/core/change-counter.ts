import { sql } from 'kysely';
import { userGone } from '../../../domain/shared/errors.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';

const bump = new UserQuery<{ documents: number; terms: number }, { rev: number }>(
  (tables, { documents, terms }) =>
    tables
      .updateTable('user_counters')
      .set({
        rev: sql<number>`rev + 1`,
        documents: sql<number>`documents + ${documents}`,
        document_terms: sql<number>`document_terms + ${terms}`,
      })
      .returning('rev'),
);

/** Change of the user's term statistics; negative for removed documents and terms. */
interface StatisticsChange {
  readonly documents: number;
  readonly terms: number;
}

/**
 * Numbers a change of the user. As the first statement of a transaction it
 * also locks the user's row, so that changes are committed in the order of
 * their numbers. Readers of the changes after a number rely on this order.
 */
export async function nextRev(db: UserDatabase, change: StatisticsChange): Promise<number> {
  const row = await db.first(bump, { ...change });
  if (!row) throw userGone();
  return row.rev;
}
