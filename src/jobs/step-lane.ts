import type { Step, StepItem, StepResult } from '../domain/jobs/step.ts';
import type { PutOff, WorkStore } from '../domain/jobs/work-store.ts';
import { AppError } from '../domain/shared/errors.ts';
import { groupBy } from '../lib/collections.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { TaskDeadline } from '../lib/one-thread.ts';
import { type Pace, rest, unlessAborted } from '../lib/throttle.ts';
import { type Attempt, attempt } from './attempt.ts';
import { Backoff } from './backoff.ts';

/**
 * Taken at once: more where that is done quickly, so that nothing is kept longer than it is leased, and few where others are
 * likely to have a turn before all is done. Waiting to write does not count: it takes as long for few as for many.
 */
const batch = { few: 16, first: 128, most: 512, quickMs: 500 };
/**
 * Characters of a slice: text that is computed without a break, unless a single memory is longer. About 5 ms of work in a
 * quick step, half a second in a slow one; a memory that comes during it waits for it.
 */
const sliceOf = { least: 8192, most: 65_536, ms: 500 };
/** One turn of so many is of older work first, so that it comes to its end while new work comes all the time. */
const turnsPerOlder = 4;
/** Work that other processes record for other users is looked for this often between slices. */
const lookForOthersMs = 250;
/** Milliseconds for which taken work is no other process's: some times as long as the slowest turn so far. */
const lease = { least: 10_000, most: 60_000, turns: 4 };
const triesMax = 3;
/** After the store could not be read or written. */
const storeRetryMs = 500;
/** Work of other processes, and work put off, is looked for this often. */
const lookEveryMs = 1000;

export interface StepLaneDeps {
  readonly work: WorkStore;
  readonly pace: Pace;
  /** What it rests for after a transaction, see `WriteTimes`. */
  readonly restsFor: 'worked' | 'keptOff';
  readonly failures: FailureReporter;
  /** Milliseconds to wait after the first and after the second try that failed. */
  readonly retryMs: readonly [number, number];
}

/** Does the work of one step, batch by batch. */
export class StepLane {
  readonly #step: Step;
  readonly #deps: StepLaneDeps;
  readonly #backoff = new Backoff();
  #limit = batch.first;
  #characters = sliceOf.most / 4;
  #turns = 0;
  /** The user who was served last. */
  #served: number | undefined;
  /** When it was last looked whether it is another user's turn, and what had been recorded. */
  #looked = { at: Number.NEGATIVE_INFINITY, recorded: 0 };
  #slowestMs = 0;
  /** When the back-fill was last found to be over, by `performance.now()`. */
  #filledAt = Number.NEGATIVE_INFINITY;
  /** Of the turn so far, without waiting. */
  #workedMs = 0;

  constructor(step: Step, deps: StepLaneDeps) {
    this.#step = step;
    this.#deps = deps;
  }

  /** @param isCurrent whether the step is still to be done */
  async run(signal: AbortSignal, isCurrent: () => boolean): Promise<void> {
    const { work } = this.#deps;
    while (!signal.aborted && isCurrent()) {
      const seen = work.recorded;
      try {
        if (await this.#turn(signal)) continue;
      } catch (error) {
        this.#failed(error);
        await rest(storeRetryMs, signal);
        continue;
      }
      await work.nextWork(seen, this.#backoff.left(lookEveryMs), signal);
    }
  }

  /** @returns whether to look again at once */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { work, pace } = this.#deps;
    if (this.#backoff.isLeftAlone) return false;
    await pace.turn(signal);
    const isOlderFirst = ++this.#turns % turnsPerOlder === 0;
    const items = await work.take(this.#step, {
      limit: Math.min(isOlderFirst ? batch.few : this.#limit, this.#step.batchMax ?? batch.most),
      leaseMs: this.#leaseMs(),
      after: this.#served,
      isOlderFirst,
    });
    if (items.length === 0) {
      this.#noteAvailable(true);
      return work.backfill(this.#step);
    }
    const began = performance.now();
    this.#workedMs = 0;
    const end = await this.#doInTurns(items, signal);
    if (end === 'stopped') return false;
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began);
    const isQuick = this.#workedMs < batch.quickMs;
    if (end === 'done') this.#limit = isQuick ? Math.min(batch.most, 2 * this.#limit) : batch.first;
    // Older work is interrupted by any that is new: that says nothing of the users.
    else if (!items[0].isOlder) this.#limit = batch.few;
    if (items[0].isOlder) this.#filledAt = Number.NEGATIVE_INFINITY;
    // While memories are written all the time, work never runs out.
    await this.#backfill();
    return true;
  }

  /** Slice by slice, until another user has a turn, or what the step needs is away. */
  async #doInTurns(
    items: readonly StepItem[],
    signal: AbortSignal,
  ): Promise<'done' | 'interrupted' | 'stopped'> {
    const { work } = this.#deps;
    let left = inTurns(items, this.#characters);
    while (left.length > 0) {
      const slice = firstSliceOf(left, this.#characters);
      const isDone = !signal.aborted && (await this.#do(slice, signal));
      if (!signal.aborted) left = left.slice(slice.length);
      this.#served = slice.at(-1)?.userId;
      const isInterrupted = isDone && left.length > 0 && (await this.#isOthersTurn(items));
      if (isDone && !isInterrupted) continue;
      await work.handBack(this.#step, left);
      return isDone ? 'interrupted' : 'stopped';
    }
    return 'done';
  }

  async #isOthersTurn(items: readonly StepItem[]): Promise<boolean> {
    const { work } = this.#deps;
    const [at, { recorded }] = [performance.now(), work];
    if (recorded === this.#looked.recorded && at - this.#looked.at < lookForOthersMs) return false;
    this.#looked = { at, recorded };
    return work.isOthersTurn(this.#step, items);
  }

  /** Looks again now and then where there was nothing left: another process may have begun a back-fill. */
  async #backfill(): Promise<void> {
    if (performance.now() - this.#filledAt < lookEveryMs) return;
    if (!(await this.#deps.work.backfill(this.#step))) this.#filledAt = performance.now();
  }

  #leaseMs(): number {
    return Math.round(Math.min(lease.most, Math.max(lease.least, lease.turns * this.#slowestMs)));
  }

  /** @returns whether to go on: not where what the step needs is not there, nor at the end of the process */
  async #do(items: readonly StepItem[], signal: AbortSignal): Promise<boolean> {
    const { pace } = this.#deps;
    await pace.turn(signal);
    const began = performance.now();
    const tried = await unlessAborted(
      attempt(this.#step, items, (ms) => pace.worked(ms)),
      signal,
    );
    const ms = performance.now() - began;
    this.#workedMs += ms;
    if (!tried) return false;
    this.#fit(ms);
    const { done, failed, isUnavailable } = tried;
    for (const [, own] of groupBy(done, ({ item }) => item.userId)) await this.#keep(own);
    await this.#putOff(failed, isUnavailable);
    this.#noteAvailable(!isUnavailable);
    return !isUnavailable;
  }

  /** Where the results of a user cannot be written together, each is tried alone. */
  async #keep(results: readonly StepResult<unknown>[]): Promise<void> {
    const { work, pace } = this.#deps;
    const byDoc = new Map(results.map((result) => [result.item.memory.doc, result]));
    const { userId } = results[0].item;
    const written = work.finish(this.#step, userId, [...byDoc.keys()], (tx, docs) =>
      this.#step.write(
        tx,
        results.filter(({ item }) => docs.has(item.memory.doc)),
      ),
    );
    try {
      const { keptOffMs, workedMs } = await written;
      this.#workedMs += workedMs;
      pace.worked(this.#deps.restsFor === 'keptOff' ? keptOffMs : workedMs);
    } catch (error) {
      // The store itself: nothing is wrong with what was computed, which is computed again after the lease.
      if (error instanceof AppError) throw error;
      if (results.length === 1) await this.#putOff([{ item: results[0].item, error }], false);
      else for (const result of results) await this.#keep([result]);
    }
  }

  async #putOff(failed: Attempt['failed'], isUnavailable: boolean): Promise<void> {
    if (failed.length === 0) return;
    const now = Date.now();
    const works = failed.map(({ item, error }): PutOff => {
      if (isUnavailable) return { item, error, attempts: item.attempts, dueAt: now };
      // Whatever ran so long would hold up all others each time.
      const attempts = error instanceof TaskDeadline ? triesMax : item.attempts + 1;
      const dueAt = attempts >= triesMax ? null : now + this.#deps.retryMs[attempts - 1];
      return { item, error, attempts, dueAt };
    });
    for (const { error } of isUnavailable ? failed.slice(0, 1) : failed) this.#failed(error);
    await this.#deps.work.putOff(this.#step, works);
  }

  /** Smaller slices after a slow one; not where a step takes seconds for each item and does some at once. */
  #fit(ms: number): void {
    if (this.#step.batchMax !== undefined) return;
    const fitting = this.#characters * Math.min(2, sliceOf.ms / ms);
    this.#characters = Math.max(sliceOf.least, Math.min(sliceOf.most, fitting));
  }

  #noteAvailable(isAvailable: boolean): void {
    if (isAvailable) this.#backoff.reset();
    else this.#backoff.failed();
    this.#deps.work.noteAvailable(this.#step, isAvailable);
  }

  #failed(error: unknown): void {
    this.#deps.failures.failed(`step ${this.#step.name}`, error);
  }
}

/** A slice of each user, then the next slice of each who has more. */
function inTurns(items: readonly StepItem[], characters: number): readonly StepItem[] {
  const users = [...groupBy(items, (item) => item.userId).values()];
  if (users.length === 1) return items;
  const ordered: StepItem[] = [];
  while (ordered.length < items.length)
    for (const own of users) ordered.push(...own.splice(0, firstSliceOf(own, characters).length));
  return ordered;
}

/** The first items, as many as have no more characters in all: one at least, where there is any. */
function firstSliceOf(items: readonly StepItem[], characters: number): readonly StepItem[] {
  let sum = 0;
  const end = items.findIndex(({ memory }, i) => {
    sum += memory.content.length;
    return i > 0 && sum > characters;
  });
  return end < 0 ? items : items.slice(0, end);
}
