import { type Kysely, sql } from 'kysely';
import type { StepItem } from '../../../domain/jobs/step.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { PutOff, StepStatus } from '../../../domain/jobs/work-store.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { rootCodeOf } from '../../../lib/failure-log.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import { toMemory } from '../memories/memory-row.ts';

const errorLengthMax = 500;

interface TakenWork {
  readonly userId: number;
  readonly doc: number;
  readonly attempts: number;
}

/**
 * Takes the work that is due first and leases it.
 * @param isShared whether other processes may take work at the same time
 */
export async function takeWork(
  db: Kysely<Database>,
  { name, version }: StepKey,
  request: {
    readonly limit: number;
    readonly leaseMs: number;
    readonly now: number;
    readonly isShared: boolean;
  },
): Promise<TakenWork[]> {
  const { limit, leaseMs, now, isShared } = request;
  const { rows } = await sql<{ user_id: number; doc: number; attempts: number }>`
    UPDATE jobs SET due_at = ${now + leaseMs}, taken = 1
    WHERE step = ${name} AND version = ${version} AND (user_id, doc) IN (
      SELECT user_id, doc FROM jobs
      WHERE step = ${name} AND version = ${version} AND due_at <= ${now}
      ORDER BY due_at, user_id, doc LIMIT ${limit} ${sql.raw(isShared ? 'FOR UPDATE SKIP LOCKED' : '')}
    )
    RETURNING user_id, doc, attempts`.execute(db);
  return rows.map(({ user_id, doc, attempts }) => ({ userId: user_id, doc, attempts }));
}

/** Work with its versions, in order; without those that were erased since it was taken. */
export async function withMemories(db: Kysely<Database>, works: readonly TakenWork[]): Promise<StepItem[]> {
  const items: StepItem[] = [];
  for (const [userId, own] of groupBy(works, (work) => work.userId)) {
    for (const chunk of chunksOf(own)) {
      const docs = chunk.map(({ doc }) => doc);
      const rows = await versionsWithIdentity(new UserDatabase(db, userId).tables)
        .where('memory_versions.doc', 'in', docs)
        .execute();
      const memories = new Map(rows.map((row) => [row.doc, toMemory(row)]));
      for (const { doc, attempts } of chunk) {
        const memory = memories.get(doc);
        if (memory) items.push({ userId, memory, attempts });
      }
    }
  }
  return items;
}

/** Gives back what a process took that is no more: for the only process of its store, at its start. */
export async function returnTaken(db: Kysely<Database>): Promise<void> {
  await db.updateTable('jobs').set({ due_at: 0, taken: 0 }).where('taken', '=', 1).execute();
}

export async function putOffWork(
  db: UserDatabase,
  { name, version }: StepKey,
  works: readonly PutOff[],
  now: number,
): Promise<void> {
  for (const { item, attempts, dueAt, error } of works) {
    const text = error instanceof Error ? error.message : String(error);
    const failure =
      error === undefined
        ? {}
        : { error: text.slice(0, errorLengthMax), error_code: rootCodeOf(error), failed_at: now };
    await db.tables
      .updateTable('jobs')
      .set({ attempts, due_at: dueAt, taken: 0, ...failure })
      .where('doc', '=', item.memory.doc)
      .where('step', '=', name)
      .where('version', '=', version)
      .execute();
  }
}

/** Strikes work off. @returns the versions for which it was there: others were erased, or done by another process */
export async function strikeOff(
  db: UserDatabase,
  { name, version }: StepKey,
  docs: readonly number[],
): Promise<Set<number>> {
  const struck = await db.tables
    .deleteFrom('jobs')
    .where('doc', 'in', docs)
    .where('step', '=', name)
    .where('version', '=', version)
    .returning('doc')
    .execute();
  return new Set(struck.map(({ doc }) => doc));
}

/** When the next work of a step is due; undefined where none is. */
export async function nextDue(db: Kysely<Database>, { name, version }: StepKey): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('due_at')
    .where('step', '=', name)
    .where('version', '=', version)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** Puts parked work back in the queue with all its tries. @returns how many items */
export async function releaseParked(db: Kysely<Database>, step?: string): Promise<number> {
  let query = db.updateTable('jobs').set({ due_at: 0, attempts: 0 }).where('due_at', 'is', null);
  if (step !== undefined) query = query.where('step', '=', step);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** The same for one step and one user. */
export async function releaseParkedOf({ tables }: UserDatabase, { name }: StepKey): Promise<void> {
  await tables
    .updateTable('jobs')
    .set({ due_at: 0, attempts: 0 })
    .where('due_at', 'is', null)
    .where('step', '=', name)
    .execute();
}

/** Work by step, of all users or of one. */
export async function statusOfWork(db: Kysely<Database>, userId?: number): Promise<StepStatus[]> {
  const own = userId === undefined ? sql`1 = 1` : sql`user_id = ${userId}`;
  const { rows } = await sql<{ step: string; waiting: number; failed: number; parked: number }>`
    SELECT step, count(due_at) AS waiting, count(CASE WHEN due_at IS NOT NULL AND attempts > 0 THEN 1 END) AS failed,
      count(CASE WHEN due_at IS NULL THEN 1 END) AS parked
    FROM jobs WHERE ${own} GROUP BY step ORDER BY step`.execute(db);
  return Promise.all(
    rows.map(async ({ step, waiting, failed, parked }) => ({
      step,
      waiting: Number(waiting),
      failed: Number(failed),
      parked: Number(parked),
      lastError: await lastErrorOf(db, step, userId),
    })),
  );
}

async function lastErrorOf(db: Kysely<Database>, step: string, userId?: number): Promise<string | undefined> {
  let query = db.selectFrom('jobs').select('error_code').where('step', '=', step);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  const row = await query
    .where('failed_at', 'is not', null)
    .orderBy('failed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.error_code ?? undefined;
}

/** How much of a step waits, how much is parked, and why; for operators. */
export async function countWork(
  db: Kysely<Database>,
  { name, version }: StepKey,
  userId?: number,
): Promise<{ readonly waiting: number; readonly failed: number; readonly error: string | undefined }> {
  const own = userId === undefined ? sql`` : sql`user_id = ${userId} AND`;
  const all = sql`FROM jobs WHERE ${own} step = ${name} AND version = ${version}`;
  const { rows } = await sql<{ waiting: number; failed: number; error: string | null }>`
    SELECT
      (SELECT count(*) ${all} AND due_at IS NOT NULL) AS waiting,
      (SELECT count(*) ${all} AND due_at IS NULL) AS failed,
      coalesce(
        (SELECT error ${all} AND due_at IS NULL LIMIT 1),
        (SELECT error ${all} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1)
      ) AS error`.execute(db);
  const [{ waiting, failed, error }] = rows;
  return { waiting: Number(waiting), failed: Number(failed), error: error ?? undefined };
}
