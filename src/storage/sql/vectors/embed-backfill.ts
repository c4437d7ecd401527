import { sql } from 'kysely';
import type { UserDatabase } from '../core/user-database.ts';
import { docsWithRow } from '../jobs/backfill.ts';

/** The versions among `docs` without vectors in the space, newest first. */
export async function docsLackingVectors(
  db: UserDatabase,
  space: number,
  docs: readonly number[],
): Promise<number[]> {
  const known = await docsWithRow(db, { table: 'memory_vectors', where: { space } }, docs);
  return docs.filter((doc) => !known.has(doc));
}

/** Makes every process that writes for the user read the spaces again if it does not know this one. */
export async function publishSpace(db: UserDatabase, space: number): Promise<void> {
  await db.tables
    .updateTable('user_counters')
    .set({ newest_space: sql<number>`${space}` })
    .where('newest_space', '<', space)
    .execute();
}
