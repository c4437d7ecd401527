import type { Step, StepItem, StepResult } from '../domain/jobs/step.ts';
import type { PutOff, WorkStore } from '../domain/jobs/work-store.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { groupBy } from '../lib/group-by.ts';
import { type Pace, rest, unlessAborted } from '../lib/throttle.ts';
import { type Attempt, attempt } from './attempt.ts';
import { Backoff } from './backoff.ts';

/**
 * Taken at once: more where that is done quickly, so that nothing is kept longer than it is leased. Waiting to write does
 * not count: it takes as long for few as for many.
 */
const batch = { first: 128, most: 512, quickMs: 500 };
/** Text computed without a break, unless a single memory is longer: about 5 ms of work for what is quick. */
const charactersMax = 65_536;
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
    const limit = Math.min(this.#limit, this.#step.batchMax ?? batch.most);
    const items = await work.take(this.#step, { limit, leaseMs: this.#leaseMs() });
    if (items.length === 0) {
      this.#noteAvailable(true);
      return work.backfill(this.#step);
    }
    const began = performance.now();
    this.#workedMs = 0;
    const slices = slicesOf(items);
    for (const [i, slice] of slices.entries()) {
      const isDone = !signal.aborted && (await this.#do(slice, signal));
      if (isDone) continue;
      await this.#handBack(slices.slice(signal.aborted ? i : i + 1).flat());
      return false;
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began);
    this.#limit = this.#workedMs < batch.quickMs ? Math.min(batch.most, 2 * this.#limit) : batch.first;
    // While memories are written all the time, work never runs out.
    if (items.length < limit) await this.#backfill();
    return true;
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
    this.#workedMs += performance.now() - began;
    if (!tried) return false;
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
      const attempts = item.attempts + 1;
      const dueAt = attempts >= triesMax ? null : now + this.#deps.retryMs[attempts - 1];
      return { item, error, attempts, dueAt };
    });
    for (const { error } of isUnavailable ? failed.slice(0, 1) : failed) this.#failed(error);
    await this.#deps.work.putOff(this.#step, works);
  }

  async #handBack(items: readonly StepItem[]): Promise<void> {
    if (items.length === 0) return;
    const dueAt = Date.now();
    const works = items.map((item): PutOff => ({ item, attempts: item.attempts, dueAt, error: undefined }));
    await this.#deps.work.putOff(this.#step, works);
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

/** In order, each of a text that is computed in one go. */
function slicesOf(items: readonly StepItem[]): StepItem[][] {
  const slices: StepItem[][] = [];
  let characters = 0;
  for (const item of items) {
    const { length } = item.memory.content;
    const last = slices.at(-1);
    if (last && characters + length <= charactersMax) {
      last.push(item);
      characters += length;
    } else {
      slices.push([item]);
      characters = length;
    }
  }
  return slices;
}
