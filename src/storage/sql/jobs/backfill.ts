import type { Kysely } from 'kysely';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { Database } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { userAfter } from '../upkeep/rebuild-cursor.ts';

/** Position of a pass over all versions: users by id, the versions of each from the newest back. */
export interface BackfillCursor {
  /** Undefined once all users are done. */
  readonly userId?: number;
  /** The last version done; undefined at the user's newest. */
  readonly doc?: number;
  /** The highest doc so far. */
  readonly upTo?: number;
  readonly done: number;
  readonly total: number;
}

/** Versions read in one transaction. */
const lookedAtMax = 500;

/** The beginning of a pass over all existing versions. */
export async function newCursor(db: Kysely<Database>): Promise<BackfillCursor> {
  const { total } = await db
    .selectFrom('memory_versions')
    .select((row) => row.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { userId: await userAfter(db, 0), done: 0, total: Number(total) };
}

export async function readCursor(
  db: Kysely<Database>,
  { name, version }: StepKey,
): Promise<BackfillCursor | undefined> {
  const row = await db
    .selectFrom('backfills')
    .select('cursor')
    .where('step', '=', name)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && (JSON.parse(row.cursor) as BackfillCursor);
}

export async function writeCursor(
  db: Kysely<Database>,
  { name, version }: StepKey,
  cursor: BackfillCursor,
): Promise<void> {
  const text = JSON.stringify(cursor);
  await db
    .insertInto('backfills')
    .values({ step: name, version, cursor: text })
    .onConflict((conflict) => conflict.columns(['step', 'version']).doUpdateSet({ cursor: text }))
    .execute();
}

export async function removeCursor(db: Kysely<Database>, { name, version }: StepKey): Promise<void> {
  await db.deleteFrom('backfills').where('step', '=', name).where('version', '=', version).execute();
}

/**
 * Begins a back-fill of each of these steps over all memories, unless it was begun
 * before. Called when the store is opened: later writes record their own jobs.
 */
export async function beginBackfills(db: Kysely<Database>, steps: readonly StepKey[]): Promise<void> {
  const fresh = new Set<string>();
  for (const { name, version, after } of steps) {
    const begun = await db.selectFrom('backfills').select('version').where('step', '=', name).execute();
    // A newer version is from a newer program, which may be serving at the same time.
    if (begun.some((row) => row.version >= version)) continue;
    for (const table of ['backfills', 'jobs'] as const)
      await db
        .deleteFrom(table as 'jobs')
        .where('step', '=', name)
        .where('version', '<', version)
        .execute();
    const cursor = await newCursor(db);
    // A step that follows another new one needs no back-fill: the other one records its job for each version
    // it finishes.
    const isRecorded = fresh.has(after ?? '');
    await writeCursor(
      db,
      { name, version },
      isRecorded ? { done: cursor.total, total: cursor.total } : cursor,
    );
    fresh.add(name);
  }
}

/** The next versions of the user of a cursor, newest first. */
export async function nextDocs(db: UserDatabase, { doc }: Pick<BackfillCursor, 'doc'>): Promise<number[]> {
  let query = db.tables.selectFrom('memory_versions').select('doc');
  if (doc !== undefined) query = query.where('doc', '<', doc);
  const rows = await query.orderBy('doc', 'desc').limit(lookedAtMax).execute();
  return rows.map((row) => row.doc);
}

/** The cursor after these versions: in the same user, or at the next user if there were none. */
export async function cursorAfter(
  handle: Kysely<Database>,
  cursor: BackfillCursor & { readonly userId: number },
  docs: readonly number[],
): Promise<BackfillCursor> {
  const { userId, done, total } = cursor;
  const upTo = Math.max(cursor.upTo ?? 0, docs[0] ?? 0);
  if (docs.length > 0) return { userId, doc: docs.at(-1), upTo, done: done + docs.length, total };
  return { userId: await userAfter(handle, userId), upTo, done, total };
}

/** Those of `docs`, newest first, with a row of a space or of a step in `table`. */
export async function docsWithRow(
  db: UserDatabase,
  {
    table,
    where,
  }: { readonly table: 'memory_vectors' | 'jobs'; readonly where: Readonly<Record<string, number | string>> },
  docs: readonly number[],
): Promise<Set<number>> {
  let query = db.tables
    .selectFrom(table as 'jobs')
    .select('doc')
    .where('doc', '>=', docs[docs.length - 1])
    .where('doc', '<=', docs[0]);
  for (const [column, value] of Object.entries(where))
    query = query.where(column as 'version', '=', value as number);
  return new Set((await query.execute()).map(({ doc }) => doc));
}
