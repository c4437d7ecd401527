import type { Kysely } from 'kysely';
import { embedStepName } from '../../../domain/embedding/embed-step.ts';
import { type StepItem, stepLabel } from '../../../domain/jobs/step.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type {
  JobOutcome,
  OutcomeCount,
  PutOff,
  StepStatus,
  WorkStore,
  WriteTimes,
} from '../../../domain/jobs/work-store.ts';
import { isUserGone, userGone } from '../../../domain/shared/errors.ts';
import type { UserWriters } from '../../../domain/shared/stores.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { timedWriteOf } from '../core/write-times.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import type { SqlDriver } from '../sql-driver.ts';
import { docsLackingVectors, publishSpace } from '../vectors/embed-backfill.ts';
import { cursorAfter, docsWithRow, newCursor, nextDocs, readCursor, writeCursor } from './backfill.ts';
import {
  countWork,
  nextDue,
  putOffWork,
  releaseParked,
  releaseParkedOf,
  returnTaken,
  statusOfWork,
  strikeOff,
  takeWork,
  withMemories,
} from './job-table.ts';
import { recordAllWork, recordNextSteps } from './job-writer.ts';
import type { WorkSignals } from './work-signals.ts';

export interface WorkStoreDeps extends Pick<SqlDriver, 'read' | 'write' | 'writeOf' | 'isShared' | 'isOnly'> {
  readonly signals: WorkSignals;
  readonly steps: readonly StepKey[];
  readonly writersOf: (db: Kysely<Database>, userId: number, keywords: KeywordWriter) => UserWriters;
}

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
        await recordAllWork(
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

  async take(step: StepKey, options: Parameters<WorkStore['take']>[1]): Promise<StepItem[]> {
    const { read, write, isShared } = this.#deps;
    const now = Date.now();
    const due = await nextDue(read, step);
    if (due === undefined || due > now) return [];
    return withMemories(read, await write((db) => takeWork(db, step, { ...options, now, isShared })));
  }

  async finish(
    step: StepKey,
    userId: number,
    docs: readonly number[],
    write: (tx: UserWriters, docs: ReadonlySet<number>) => Promise<void>,
  ): Promise<WriteTimes> {
    const { writersOf, signals, steps } = this.#deps;
    const written = timedWriteOf(this.#deps, userId, async (handle, keywords, isActive) => {
      if (!isActive()) throw userGone();
      const db = new UserDatabase(handle, userId);
      const struck = await strikeOff(db, step, docs);
      if (struck.size === 0) return;
      await write(writersOf(handle, userId, keywords), struck);
      await recordNextSteps(db, steps, step, [...struck]);
    });
    const times = await written.catch((error: unknown) => {
      // Nothing is derived for a user who was removed, and no write of theirs is kept off.
      if (!isUserGone(error)) throw error;
      return { keptOffMs: 0, workedMs: 0 };
    });
    this.#count(step.name, 'done', docs.length);
    signals.done(userId);
    if (steps.some(({ after }) => after === step.name)) signals.added();
    return times;
  }

  async putOff(step: StepKey, works: readonly PutOff[]): Promise<void> {
    // Under the user's lock: two transactions that change many rows of one user would wait for each other for good.
    for (const [userId, own] of groupBy(works, ({ item }) => item.userId)) {
      const now = Date.now();
      await this.#deps.writeOf(userId, (db) => putOffWork(new UserDatabase(db, userId), step, own, now));
      this.#deps.signals.done(userId);
    }
    for (const { item, attempts, dueAt, error } of works) {
      if (error === undefined) continue;
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
        await recordAllWork(db, step, docs);
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
