import { type Kysely, sql } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { Database } from '../core/schema.ts';

/** How long taken work belongs to who took it; after a crash it is taken again then. */
export const leaseMs = 30_000;

/** A version taken to be embedded. */
export interface TakenWork {
  readonly userId: number;
  readonly doc: number;
  /** Tries that failed before. */
  readonly attempts: number;
}

/**
 * Takes the work that is due first and leases it.
 * @param skipLocked whether the engine has processes beside this one that take work at the same time
 */
export async function takeWork(
  db: Kysely<Database>,
  request: {
    readonly space: number;
    readonly limit: number;
    readonly now: number;
    readonly skipLocked: boolean;
  },
): Promise<TakenWork[]> {
  const { space, limit, now, skipLocked } = request;
  const { rows } = await sql<{ user_id: number; doc: number; attempts: number }>`
    UPDATE embedding_work SET due_at = ${now + leaseMs}, taken = 1
    WHERE (user_id, doc, space) IN (
      SELECT user_id, doc, space FROM embedding_work
      WHERE space = ${space} AND due_at <= ${now}
      ORDER BY due_at, user_id, doc LIMIT ${limit} ${sql.raw(skipLocked ? 'FOR UPDATE SKIP LOCKED' : '')}
    )
    RETURNING user_id, doc, attempts`.execute(db);
  return rows.map(({ user_id, doc, attempts }) => ({ userId: user_id, doc, attempts }));
}

/** Gives back what a process took that is no more: for the only process of its store, at its start. */
export async function returnTaken(db: Kysely<Database>): Promise<void> {
  await db.updateTable('embedding_work').set({ due_at: 0, taken: 0 }).where('taken', '=', 1).execute();
}

/** What becomes of work that could not be done; `dueAt` null gives it up. */
export interface PutOff {
  readonly attempts: number;
  readonly dueAt: number | null;
  readonly error: string | null;
}

export async function putOff(
  db: Kysely<Database>,
  space: number,
  works: readonly (TakenWork & { readonly to: PutOff })[],
): Promise<void> {
  for (const { userId, doc, to } of works) {
    await db
      .updateTable('embedding_work')
      .set({ attempts: to.attempts, due_at: to.dueAt, error: to.error, taken: 0 })
      .where('user_id', '=', userId)
      .where('doc', '=', doc)
      .where('space', '=', space)
      .execute();
  }
}

/** When the next work of a space is due; undefined where none is. */
export async function nextDue(db: Kysely<Database>, space: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('embedding_work')
    .select('due_at')
    .where('space', '=', space)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** Texts of these versions; those erased meanwhile are left out. */
export async function textsOf(db: Kysely<Database>, works: readonly TakenWork[]): Promise<WorkWithText[]> {
  const byUser = groupBy(works, ({ userId }) => userId);
  const found: WorkWithText[] = [];
  for (const [userId, own] of byUser) {
    for (const chunk of chunksOf(own)) {
      const rows = await db
        .selectFrom('memory_versions')
        .select(['doc', 'content'])
        .where('user_id', '=', userId)
        .where(
          'doc',
          'in',
          chunk.map(({ doc }) => doc),
        )
        .execute();
      const contents = new Map(rows.map(({ doc, content }) => [doc, content]));
      for (const work of chunk) {
        const content = contents.get(work.doc);
        if (content !== undefined) found.push({ ...work, content });
      }
    }
  }
  return found;
}

export interface WorkWithText extends TakenWork {
  readonly content: string;
}

/** How much of a space waits, how much was given up, and why. */
export async function countWork(
  db: Kysely<Database>,
  space: number,
  userId?: number,
): Promise<{ readonly waiting: number; readonly failed: number; readonly error: string | undefined }> {
  const own = userId === undefined ? sql`` : sql`user_id = ${userId} AND`;
  const { rows } = await sql<{ waiting: number; failed: number; error: string | null }>`
    SELECT
      (SELECT count(*) FROM embedding_work WHERE ${own} space = ${space} AND due_at IS NOT NULL) AS waiting,
      (SELECT count(*) FROM embedding_work WHERE ${own} space = ${space} AND due_at IS NULL) AS failed,
      coalesce(
        (SELECT error FROM embedding_work WHERE ${own} space = ${space} AND due_at IS NULL LIMIT 1),
        (SELECT error FROM embedding_work WHERE ${own} space = ${space} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1)
      ) AS error`.execute(db);
  const [{ waiting, failed, error }] = rows;
  return { waiting: Number(waiting), failed: Number(failed), error: error ?? undefined };
}
