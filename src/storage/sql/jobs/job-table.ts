import { type Kysely, sql } from 'kysely';
import type { ChangedRecord } from '../../../domain/changes/change.ts';
import type { StepItem } from '../../../domain/jobs/step.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { PutOff, StepStatus } from '../../../domain/jobs/work-store.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { rootCodeOf } from '../../../lib/failure-log.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import { nextRev } from '../core/change-counter.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { type MemoryRow, memoryRecord, toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import { type UsersWithRows, usersWith } from '../users/users-with.ts';
import { jobIdOf } from './job-store.ts';
import { recordWork } from './job-writer.ts';

const errorLengthMax = 500;
/** Memories read by one statement: 512 at once would take 0.1 s, during which no request is answered. */
const readAtOnce = 32;

interface TakenWork {
  readonly userId: number;
  readonly doc: number;
  readonly attempts: number;
  readonly isOlder: boolean;
}

/** Jobs of new versions, or of versions that existed before their jobs were recorded. */
interface Queue {
  readonly step: StepKey;
  readonly isOlder: boolean;
  readonly now: number;
}

const dueOf = ({ step, isOlder, now }: Queue) =>
  sql`step = ${step.name} AND version = ${step.version} AND is_older = ${isOlder ? 1 : 0} AND due_at <= ${now}`;

/**
 * The first users after one who have work that is due. Not of users who are being loaded: results of a step could conflict
 * with rows that are not loaded yet.
 */
export const usersWithDue = (
  db: Kysely<Database>,
  queue: Queue,
  bounds: Pick<UsersWithRows, 'after' | 'limit' | 'isDistributed'>,
): Promise<number[]> => usersWith(db, { table: 'jobs', condition: dueOf(queue), ...bounds });

/** The users whose work is taken, and how much of it. */
interface TakeRequest {
  readonly users: readonly number[];
  /** Items of each user at most, the first users first. */
  readonly share: number;
  /** Items at most. */
  readonly limit: number;
  readonly leaseMs: number;
  /** Whether other processes may take work at the same time. */
  readonly isShared: boolean;
  /** See `SqlDriver`: a statement of one user goes to one node, one of several with a limit for each is refused. */
  readonly isDistributed: boolean;
}

type TakenRow = Omit<TakenWork, 'isOlder' | 'userId'> & { readonly user_id: number };

/** Takes the first due work of each of these users and leases it. */
export async function takeWork(
  db: Kysely<Database>,
  queue: Queue,
  request: TakeRequest,
): Promise<TakenWork[]> {
  const { isShared, isDistributed } = request;
  if (isShared) await lockTaking(db, queue.step);
  const take = isShared && !isDistributed ? takeOfAll : takeOfEach;
  const rows = await take(db, queue, request);
  const byUser = groupBy(rows, (row) => row.user_id);
  return request.users.flatMap((userId) =>
    (byUser.get(userId) ?? [])
      .toSorted((a, b) => a.doc - b.doc)
      .map(({ doc, attempts }) => ({ userId, isOlder: queue.isOlder, doc, attempts })),
  );
}

/** Takers of a step wait for each other: two that update the same rows in another order would deadlock. */
async function lockTaking(tx: Kysely<Database>, step: StepKey): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${advisoryLocks.takingWork}::int, hashtext(${step.name}))`.execute(
    tx,
  );
}

/** By one statement for all users. Due once more: a row that another took since this statement began is left. */
async function takeOfAll(db: Kysely<Database>, queue: Queue, request: TakeRequest): Promise<TakenRow[]> {
  const { users, share, limit, leaseMs } = request;
  const { step, now } = queue;
  const { rows } = await sql<TakenRow>`
    UPDATE jobs SET due_at = ${now + leaseMs}, taken = 1
    FROM (
      SELECT owner.id, own.doc
      FROM unnest(${users}::bigint[]) WITH ORDINALITY AS owner (id, place) CROSS JOIN LATERAL (
        SELECT doc FROM jobs WHERE ${dueOf(queue)} AND user_id = owner.id ORDER BY doc LIMIT ${share}
      ) AS own
      ORDER BY owner.place, own.doc LIMIT ${limit}
    ) AS first
    WHERE jobs.user_id = first.id AND jobs.doc = first.doc AND jobs.step = ${step.name}
      AND jobs.version = ${step.version} AND jobs.due_at <= ${now}
    RETURNING jobs.user_id, jobs.doc, jobs.attempts`.execute(db);
  return rows;
}

async function takeOfEach(db: Kysely<Database>, queue: Queue, request: TakeRequest): Promise<TakenRow[]> {
  const { users, share, limit, leaseMs } = request;
  const { step, now } = queue;
  const taken: TakenRow[] = [];
  for (const userId of users) {
    if (taken.length >= limit) break;
    const { rows } = await sql<TakenRow>`
      UPDATE jobs SET due_at = ${now + leaseMs}, taken = 1
      WHERE user_id = ${userId} AND step = ${step.name} AND version = ${step.version} AND doc IN (
        SELECT doc FROM jobs WHERE ${dueOf(queue)} AND user_id = ${userId} ORDER BY doc LIMIT ${Math.min(share, limit - taken.length)}
      )
      RETURNING user_id, doc, attempts`.execute(db);
    taken.push(...rows);
  }
  return taken;
}

/**
 * Jobs with their versions, in order; without versions that were erased since the job was taken.
 * @param isTogether whether one statement may read the versions of several users
 */
export async function withMemories(
  db: Kysely<Database>,
  works: readonly TakenWork[],
  isTogether: boolean,
): Promise<StepItem[]> {
  const items: StepItem[] = [];
  for (const group of isTogether ? [works] : groupBy(works, (work) => work.userId).values())
    for (const chunk of chunksOf(group, readAtOnce)) {
      const memories = await memoriesOf(db, chunk);
      for (const { userId, doc, attempts, isOlder } of chunk) {
        const memory = memories.get(`${userId} ${doc}`);
        if (memory) items.push({ userId, memory, attempts, isOlder });
      }
    }
  return items;
}

/** Versions with the identity of their memory, of several users: for PostgreSQL, in one statement. */
async function versionsOfUsers(
  db: Kysely<Database>,
  versions: readonly { readonly userId: number; readonly doc: number }[],
): Promise<(MemoryRow & { readonly owner: number })[]> {
  const users = versions.map(({ userId }) => userId);
  const docs = versions.map(({ doc }) => doc);
  return db
    .selectFrom('memory_versions')
    .innerJoin('memories', (on) =>
      on
        .onRef('memories.user_id', '=', 'memory_versions.user_id')
        .onRef('memories.seq', '=', 'memory_versions.memory_seq'),
    )
    .select(memoryRecord.selection)
    .select('memory_versions.user_id as owner')
    .where(
      sql<boolean>`(memory_versions.user_id, memory_versions.doc) IN (SELECT * FROM unnest(${users}::bigint[], ${docs}::bigint[]))`,
    )
    .execute();
}

/** By user and doc. */
async function memoriesOf(
  db: Kysely<Database>,
  works: readonly TakenWork[],
): Promise<ReadonlyMap<string, Memory>> {
  const [{ userId }] = works;
  if (works.some((work) => work.userId !== userId)) {
    const rows = await versionsOfUsers(db, works);
    return new Map(rows.map(({ owner, ...row }) => [`${owner} ${row.doc}`, toMemory(row)]));
  }
  const docs = works.map(({ doc }) => doc);
  const { tables } = new UserDatabase(db, userId);
  const rows = await versionsWithIdentity(tables).where('memory_versions.doc', 'in', docs).execute();
  return new Map(rows.map((row) => [`${userId} ${row.doc}`, toMemory(row)]));
}

/** Frees the work that an ended process had taken: for the only process of its store, at its start. */
export async function returnTaken(db: Kysely<Database>): Promise<void> {
  await db.updateTable('jobs').set({ due_at: 0, taken: 0 }).where('taken', '=', 1).execute();
}

export async function putOffWork(
  db: UserDatabase,
  { name, version }: StepKey,
  works: readonly PutOff[],
  now: number,
): Promise<void> {
  const parked: ChangedRecord[] = [];
  for (const { item, attempts, dueAt, error } of works) {
    const text = error instanceof Error ? error.message : String(error);
    const failure = { error: text.slice(0, errorLengthMax), error_code: rootCodeOf(error), failed_at: now };
    const { doc } = item.memory;
    const { numUpdatedRows } = await db.tables
      .updateTable('jobs')
      .set({ attempts, due_at: dueAt, taken: 0, ...failure })
      .where('doc', '=', doc)
      .where('step', '=', name)
      .where('version', '=', version)
      .executeTakeFirstOrThrow();
    if (dueAt === null && numUpdatedRows > 0n)
      parked.push({ kind: 'job', action: 'failed', id: jobIdOf({ step: name, version, doc }) });
  }
  if (parked.length > 0) await nextRev(db, { documents: 0, terms: 0 }, ...parked);
}

/** Gives back work that was taken and not tried. */
export async function handBackWork(
  { tables }: UserDatabase,
  { name, version }: StepKey,
  docs: readonly number[],
): Promise<void> {
  for (const chunk of chunksOf(docs))
    await tables
      .updateTable('jobs')
      .set({ due_at: 0, taken: 0 })
      .where('doc', 'in', chunk)
      .where('step', '=', name)
      .where('version', '=', version)
      .execute();
}

/**
 * Removes finished work from the queue, and that of steps whose results are written with it.
 * @returns the removed versions, and whether they are older; others were erased, or done by another process
 */
export async function strikeOff(
  db: UserDatabase,
  [step, ...joined]: readonly [StepKey, ...StepKey[]],
  docs: readonly number[],
): Promise<Map<number, boolean>> {
  const struck = await db.tables
    .deleteFrom('jobs')
    .where('doc', 'in', docs)
    .where((job) =>
      job.or(
        [step, ...joined].map(({ name, version }) =>
          job.and([job('step', '=', name), job('version', '=', version)]),
        ),
      ),
    )
    .returning(['doc', 'step', 'is_older'])
    .execute();
  const own = new Map(
    struck.filter((job) => job.step === step.name).map(({ doc, is_older }) => [doc, is_older === 1]),
  );
  // Another process did the step and left the other one to be done alone.
  for (const { doc, step: name } of struck)
    for (const other of joined) if (other.name === name && !own.has(doc)) await recordWork(db, other, doc);
  return own;
}

/** Puts parked work back in the queue with all its tries. @returns the number of items */
export async function releaseParked(db: Kysely<Database>, step?: string): Promise<number> {
  let query = db.updateTable('jobs').set({ due_at: 0, attempts: 0 }).where('due_at', 'is', null);
  if (step !== undefined) query = query.where('step', '=', step);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** Like `releaseParked`, for one step and one user. */
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
