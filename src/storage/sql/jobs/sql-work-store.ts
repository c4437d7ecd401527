import { type Kysely, sql } from 'kysely';
import { embedStepName } from '../../../domain/embedding/embed-step.ts';
import { type StepItem, stepLabel } from '../../../domain/jobs/step.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type {
  JobOutcome,
  OutcomeCount,
  PutOff,
  StepStatus,
  TakeOptions,
  WorkStore,
  WriteTimes,
} from '../../../domain/jobs/work-store.ts';
import { isUserGone, userGone } from '../../../domain/shared/errors.ts';
import type { UserWriters } from '../../../domain/shared/stores.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { groupBy } from '../../../lib/collections.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { timedWriteOf } from '../core/write-times.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import type { SqlDriver } from '../sql-driver.ts';
import { cursorAfter, docsWithRow, newCursor, nextDocs, readCursor, writeCursor } from './backfill.ts';
import {
  countWork,
  handBackWork,
  putOffWork,
  releaseParked,
  releaseParkedOf,
  returnTaken,
  statusOfWork,
  strikeOff,
  takeWork,
  usersWithDue,
  withMemories,
} from './job-table.ts';
import { recordNextSteps, recordOlderWork } from './job-writer.ts';
import type { WorkSignals } from './work-signals.ts';

interface WorkStoreDeps
  extends Pick<SqlDriver, 'read' | 'write' | 'writeOf' | 'isShared' | 'isDistributed' | 'isOnly'> {
  readonly signals: WorkSignals;
  readonly steps: readonly StepKey[];
  readonly writers: (db: Kysely<Database>, userId: number, keywords: KeywordWriter) => UserWriters;
}

/** Each takes a connection while it waits for the database. */
const usersWrittenTogether = 4;
/**
 * A look for work costs a server some statements for each step. At 50 creates a second, looks after each of them
 * were a seventh of all statements; an embedded database answers them at once.
 */
const gatherMs = 50;

/**
 * Versions of a user that are taken together even if others wait, but by a step that takes few at once: together they cost
 * half as much as one by one.
 */
const togetherMin = 4;

/** Users who have a turn at once. */
const usersAtOnce = 64;

/** Work for steps in the table `jobs`, and the cursors of back-fills in `backfills`. */
export class SqlWorkStore implements WorkStore {
  readonly #deps: WorkStoreDeps;
  readonly #unavailable = new Set<string>();
  readonly #outcomes = new Map<string, OutcomeCount>();

  constructor(deps: WorkStoreDeps) {
    this.#deps = deps;
  }

  get recorded(): number {
    return this.#deps.signals.recorded;
  }

  nextWork(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    return this.#deps.signals.nextWork(seen, ms, signal);
  }

  noteAvailable(step: StepKey, isAvailable: boolean): void {
    if (isAvailable) this.#unavailable.delete(stepLabel(step));
    else this.#unavailable.add(stepLabel(step));
  }

  isAvailable(step: StepKey): boolean {
    return !this.#unavailable.has(stepLabel(step));
  }

  get outcomes(): readonly OutcomeCount[] {
    return [...this.#outcomes.values()];
  }

  async recover(): Promise<void> {
    if (this.#deps.isOnly) await this.#deps.write(returnTaken);
  }

  async backfill(step: StepKey): Promise<boolean> {
    const { read, writeOf, signals } = this.#deps;
    const cursor = await readCursor(read, step);
    const userId = cursor?.userId;
    if (userId === undefined) return false;
    if ((await this.#usersWithDue(step, true, { limit: 1 })).length > 0) return false;
    const isFilled = await writeOf(userId, async (handle) => {
      const now = await readCursor(handle, step);
      // Another process moved on to the next user.
      if (now?.userId !== userId) return false;
      const db = new UserDatabase(handle, userId);
      const isOfSpace = step.name === embedStepName;
      if (isOfSpace && now.doc === undefined) await publishSpace(db, step.version);
      const docs = await nextDocs(db, now);
      if (docs.length > 0) {
        const recorded = await docsWithRow(
          db,
          { table: 'jobs', where: { step: step.name, version: step.version } },
          docs,
        );
        const lacking = isOfSpace ? await docsLackingVectors(db, step.version, docs) : docs;
        await recordOlderWork(
          db,
          step,
          lacking.filter((doc) => !recorded.has(doc)),
        );
      }
      const next = await cursorAfter(handle, { ...now, userId }, docs);
      await writeCursor(handle, step, next);
      return next.userId === undefined;
    });
    if (isFilled) signals.filled();
    return true;
  }

  async take(step: StepKey, options: TakeOptions): Promise<StepItem[]> {
    const { read, write, isShared, isDistributed } = this.#deps;
    const { limit, leaseMs, after, isOlderFirst = false } = options;
    for (const isOlder of [isOlderFirst, !isOlderFirst]) {
      const users = await this.#usersWithDue(step, isOlder, { limit: Math.min(limit, usersAtOnce), after });
      if (users.length === 0) continue;
      const share = Math.max(
        1,
        Math.min(togetherMin, Math.floor(limit / 4)),
        Math.floor(limit / users.length),
      );
      const request = { users, share, limit, leaseMs, isShared, isDistributed };
      const taken = await write((db) => takeWork(db, { step, isOlder, now: Date.now() }, request));
      // Another process took it, or it was erased.
      if (taken.length > 0) return withMemories(read, taken, isShared && !isDistributed);
    }
    return [];
  }

  async isOthersTurn(step: StepKey, items: readonly StepItem[]): Promise<boolean> {
    const { isOlder } = items[0];
    const own = new Set(items.map(({ userId }) => userId));
    const isOther = (userId: number) => !own.has(userId);
    const ofNew = await this.#usersWithDue(step, false, { limit: isOlder ? 1 : own.size + 1 });
    if (isOlder ? ofNew.length > 0 : ofNew.some(isOther)) return true;
    return isOlder && (await this.#usersWithDue(step, true, { limit: own.size + 1 })).some(isOther);
  }

  /** Users in turn after one, beginning again with the first. */
  async #usersWithDue(
    step: StepKey,
    isOlder: boolean,
    { limit, after = 0 }: { readonly limit: number; readonly after?: number },
  ): Promise<number[]> {
    const queue = { step, isOlder, now: Date.now() };
    const { read, isDistributed } = this.#deps;
    const users = await usersWithDue(read, queue, { after, limit, isDistributed });
    if (after === 0 || users.length === limit) return users;
    const first = await usersWithDue(read, queue, { after: 0, limit: limit - users.length, isDistributed });
    return users.concat(first.filter((userId) => userId <= after));
  }

  async handBack(step: StepKey, items: readonly StepItem[]): Promise<void> {
    for (const [userId, own] of groupBy(items, (item) => item.userId)) {
      const docs = own.map(({ memory }) => memory.doc);
      await this.#deps.writeOf(userId, (db) => handBackWork(new UserDatabase(db, userId), step, docs));
      this.#deps.signals.done(userId);
    }
  }

  get usersTogether(): number {
    return this.#deps.isShared ? usersWrittenTogether : 1;
  }

  get gatherMs(): number {
    return this.#deps.isShared ? gatherMs : 0;
  }

  async finish(
    [step, ...joined]: readonly [StepKey, ...StepKey[]],
    userId: number,
    docs: readonly number[],
    write: (tx: UserWriters, docs: ReadonlySet<number>) => Promise<void>,
  ): Promise<WriteTimes> {
    const { writers, signals, steps } = this.#deps;
    const left = steps.filter(({ name }) => joined.every((one) => one.name !== name));
    const written = timedWriteOf(this.#deps, userId, async (handle, keywords, isActive) => {
      if (!isActive()) throw userGone();
      const db = new UserDatabase(handle, userId);
      const struck = await strikeOff(db, [step, ...joined], docs);
      if (struck.size === 0) return;
      await write(writers(handle, userId, keywords), new Set(struck.keys()));
      for (const [isOlder, own] of groupBy([...struck], ([, older]) => older)) {
        const done = own.map(([doc]) => doc);
        await recordNextSteps(db, left, step, done, isOlder);
      }
    });
    const times = await written.catch((error: unknown) => {
      // The user was removed: nothing is derived, and no write of theirs is delayed.
      if (!isUserGone(error)) throw error;
      return { keptOffMs: 0, workedMs: 0 };
    });
    for (const { name } of [step, ...joined]) this.#count(name, 'done', docs.length);
    signals.done(userId);
    if (left.some(({ after }) => after === step.name)) signals.added();
    return times;
  }

  async putOff(step: StepKey, works: readonly PutOff[]): Promise<void> {
    // Under the user's lock: two transactions that change many rows of one user could deadlock.
    for (const [userId, own] of groupBy(works, ({ item }) => item.userId)) {
      const now = Date.now();
      await this.#deps.writeOf(userId, (db) => putOffWork(new UserDatabase(db, userId), step, own, now));
      this.#deps.signals.done(userId);
    }
    for (const { item, attempts, dueAt } of works) {
      const outcome = dueAt === null ? 'parked' : attempts > item.attempts ? 'failed' : 'unavailable';
      this.#count(step.name, outcome, 1);
    }
  }

  #count(step: string, outcome: JobOutcome, more: number): void {
    const items = (this.#outcomes.get(`${step} ${outcome}`)?.items ?? 0) + more;
    this.#outcomes.set(`${step} ${outcome}`, { step, outcome, items });
  }

  async release(step?: string): Promise<number> {
    const released = await this.#deps.write((db) => releaseParked(db, step));
    if (released > 0) this.#deps.signals.added();
    return released;
  }

  async redo(step: StepKey, user?: UserRef): Promise<void> {
    if (user) await this.#redoOf(user.id, step);
    else
      await this.#deps.write(async (db) => {
        await releaseParked(db, step.name);
        await writeCursor(db, step, await newCursor(db));
      });
    this.#deps.signals.added();
  }

  /** Records the work page by page, so that the user's writes go between. */
  async #redoOf(userId: number, step: StepKey): Promise<void> {
    const { writeOf } = this.#deps;
    for (let doc: number | undefined, isFirst = true; isFirst || doc !== undefined; isFirst = false) {
      const before = doc;
      doc = await writeOf(userId, async (handle, _keywords, isActive) => {
        if (!isActive()) throw userGone();
        const db = new UserDatabase(handle, userId);
        if (before === undefined) await releaseParkedOf(db, step);
        const docs = await nextDocs(db, { doc: before });
        await recordOlderWork(db, step, docs);
        return docs.at(-1);
      });
    }
  }

  async backfilled(step: StepKey): Promise<{ done: number; total: number }> {
    const { userId, done, total } = (await readCursor(this.#deps.read, step)) ?? { done: 0, total: 0 };
    // Versions that were erased on the way are never met.
    return userId === undefined ? { done: total, total } : { done: Math.min(done, total), total };
  }

  async left(step: StepKey): Promise<{ readonly waiting: number; readonly parked: number }> {
    const { waiting, failed } = await countWork(this.#deps.read, step);
    return { waiting, parked: failed };
  }

  status(user?: UserRef): Promise<StepStatus[]> {
    return statusOfWork(this.#deps.read, user?.id);
  }
}

/** The versions among `docs` without vectors in the space, newest first. */
async function docsLackingVectors(
  db: UserDatabase,
  space: number,
  docs: readonly number[],
): Promise<number[]> {
  const known = await docsWithRow(db, { table: 'memory_vectors', where: { space } }, docs);
  return docs.filter((doc) => !known.has(doc));
}

/** Makes every process that writes for the user read the spaces again if it does not know this one. */
async function publishSpace(db: UserDatabase, space: number): Promise<void> {
  await db.tables
    .updateTable('user_counters')
    .set({ newest_space: sql<number>`${space}` })
    .where('newest_space', '<', space)
    .execute();
}
