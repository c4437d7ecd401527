import type { Step, StepItem, StepResult } from '../domain/jobs/step.ts';
import type { PutOff, WorkStore } from '../domain/jobs/work-store.ts';
import { AppError } from '../domain/shared/errors.ts';
import { backOffMs, eachAtOnce } from '../lib/async.ts';
import { groupBy } from '../lib/collections.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { TaskDeadline } from '../lib/one-thread.ts';
import { type Pace, rest, unlessAborted } from '../lib/throttle.ts';
import { type Attempt, attempt } from './attempt.ts';

/**
 * Items taken at once: more if the last batch was quick, so that none outlives its lease; few if another user
 * is likely to have a turn before the end. The wait for a write does not count: it is as long for few items
 * as for many.
 */
const batch = { few: 16, first: 128, most: 512, quickMs: 500 };
/**
 * Characters of a slice, which is computed without a break; a longer memory is a slice of its own. A slice
 * takes about 5 ms in a quick step and half a second in a slow one, and new memories wait for its end.
 */
const sliceOf = { least: 8192, most: 65_536, ms: 500 };
/** Every fourth turn takes older work first, so that it ends even if new work never stops. */
const turnsPerOlder = 4;
/** Interval of looking between slices for work that other processes recorded for other users. */
const lookForOthersMs = 250;
/** Milliseconds for which taken work is leased: a multiple of the slowest turn so far. */
const lease = { least: 10_000, most: 60_000, turns: 4 };
const triesMax = 3;
/** Pause after the store could not be read or written. */
const storeRetryMs = 500;
/** Interval of looking for postponed work and work of other processes. */
const lookEveryMs = 1000;

export interface StepLaneDeps {
  /** Steps that are done with this one, see `StepKey.isJoined`. */
  readonly joined?: readonly Step[];
  readonly work: WorkStore;
  readonly pace: Pace;
  /** The time of a transaction after which it rests, see `WriteTimes`. */
  readonly restsFor: 'worked' | 'keptOff';
  readonly failures: FailureReporter;
  /** Milliseconds to wait after the first and the second failed try. */
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
  /** Time of the last check for another user's turn, and the number of records then. */
  #looked = { at: Number.NEGATIVE_INFINITY, recorded: 0 };
  #slowestMs = 0;
  /** Time at which the back-fill was last found to be over, by `performance.now()`. */
  #filledAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds of work in the current turn, without waiting. */
  #workedMs = 0;
  /** Earliest time of the next look for work, by `performance.now()`; see `WorkStore.gatherMs`. */
  #lookAt = 0;

  constructor(step: Step, deps: StepLaneDeps) {
    this.#step = step;
    this.#deps = deps;
  }

  /** @param isCurrent whether the step is still needed */
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

  /** @returns whether to look for more work at once */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { work, pace } = this.#deps;
    if (this.#backoff.isLeftAlone) return false;
    const earlyMs = this.#lookAt - performance.now();
    if (earlyMs > 0) await rest(earlyMs, signal);
    await pace.turn(signal);
    const isOlderFirst = ++this.#turns % turnsPerOlder === 0;
    const limit = Math.min(isOlderFirst ? batch.few : this.#limit, this.#step.batchMax ?? batch.most);
    const lookedAt = performance.now();
    const items = await work.take(this.#step, {
      limit,
      leaseMs: this.#leaseMs(),
      after: this.#served,
      isOlderFirst,
    });
    if (items.length < limit) this.#lookAt = lookedAt + work.gatherMs;
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
    // New work always interrupts older work, so this does not mean that many users wait.
    else if (!items[0].isOlder) this.#limit = batch.few;
    if (items[0].isOlder) this.#filledAt = Number.NEGATIVE_INFINITY;
    // With constant writes the queue is never empty, so back-fill is called here too.
    await this.#backfill();
    return true;
  }

  /** Works slice by slice until another user has a turn or the step is unavailable. */
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

  /** Continues the back-fill. After its end, looks again each second: another process may have begun one. */
  async #backfill(): Promise<void> {
    if (performance.now() - this.#filledAt < lookEveryMs) return;
    if (!(await this.#deps.work.backfill(this.#step))) this.#filledAt = performance.now();
  }

  #leaseMs(): number {
    return Math.round(Math.min(lease.most, Math.max(lease.least, lease.turns * this.#slowestMs)));
  }

  /** @returns whether to go on: false if the step is unavailable or the process stops */
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
    await this.#keepAll(done, await this.#runJoined(done));
    await this.#putOff(failed, isUnavailable);
    this.#noteAvailable(!isUnavailable);
    return !isUnavailable;
  }

  /** Results of the joined steps by item; of an item for which one failed, none: each then has work of its own. */
  async #runJoined(done: readonly StepResult<unknown>[]): Promise<JoinedResults> {
    const { joined = [], pace } = this.#deps;
    const results = new Map<StepItem, readonly unknown[]>(done.map(({ item }) => [item, []]));
    for (const step of done.length > 0 ? joined : []) {
      const items = done.map(({ item }) => item).filter((item) => results.has(item));
      const tried = await attempt(step, items, (ms) => pace.worked(ms));
      for (const { item, result } of tried.done) results.set(item, [...(results.get(item) ?? []), result]);
      for (const { item } of tried.failed) results.delete(item);
    }
    return results;
  }

  /** Writes the results of each user; those of several users at the same time if the store has use for it. */
  async #keepAll(done: readonly StepResult<unknown>[], joined: JoinedResults): Promise<void> {
    const users = groupBy(done, ({ item }) => item.userId).values();
    await eachAtOnce(users, this.#deps.work.usersTogether, async (own) => {
      const whole = own.filter(({ item }) => joined.has(item));
      if (whole.length > 0) await this.#keep(whole, joined);
      const alone = own.filter(({ item }) => !joined.has(item));
      if (alone.length > 0) await this.#keep(alone);
    });
  }

  /** Writes the results of a user together; if that fails, each alone, and at last without joined steps. */
  async #keep(results: readonly StepResult<unknown>[], joined?: JoinedResults): Promise<void> {
    const { work, pace, joined: steps = [] } = this.#deps;
    const byDoc = new Map(results.map((result) => [result.item.memory.doc, result]));
    const { userId } = results[0].item;
    const together = joined ? steps : [];
    const written = work.finish([this.#step, ...together], userId, [...byDoc.keys()], async (tx, docs) => {
      const kept = results.filter(({ item }) => docs.has(item.memory.doc));
      await this.#step.write(tx, kept);
      for (const [i, step] of together.entries())
        await step.write(
          tx,
          kept.map(({ item }) => ({ item, result: joined?.get(item)?.[i] })),
        );
    });
    try {
      const { keptOffMs, workedMs } = await written;
      this.#workedMs += workedMs / work.usersTogether;
      pace.worked((this.#deps.restsFor === 'keptOff' ? keptOffMs : workedMs) / work.usersTogether);
    } catch (error) {
      // The store failed, not the results; they are computed again after the lease.
      if (error instanceof AppError) throw error;
      if (results.length > 1) for (const result of results) await this.#keep([result], joined);
      else if (together.length > 0) await this.#keep(results);
      else await this.#putOff([{ item: results[0].item, error }], false);
    }
  }

  async #putOff(failed: Attempt['failed'], isUnavailable: boolean): Promise<void> {
    if (failed.length === 0) return;
    const now = Date.now();
    const works = failed.map(({ item, error }): PutOff => {
      if (isUnavailable) return { item, error, attempts: item.attempts, dueAt: now };
      // Another try would block all other work as long again.
      const attempts = error instanceof TaskDeadline ? triesMax : item.attempts + 1;
      const dueAt = attempts >= triesMax ? null : now + this.#deps.retryMs[attempts - 1];
      return { item, error, attempts, dueAt };
    });
    for (const { error } of isUnavailable ? failed.slice(0, 1) : failed) this.#failed(error);
    await this.#deps.work.putOff(this.#step, works);
  }

  /** Fits the slice to its time, except for steps with `batchMax`, which take seconds for each item. */
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

type JoinedResults = ReadonlyMap<StepItem, readonly unknown[]>;

/** Items in turns: a slice of each user, then the next slice of each. */
function inTurns(items: readonly StepItem[], characters: number): readonly StepItem[] {
  const users = [...groupBy(items, (item) => item.userId).values()];
  if (users.length === 1) return items;
  const ordered: StepItem[] = [];
  while (ordered.length < items.length)
    for (const own of users) ordered.push(...own.splice(0, firstSliceOf(own, characters).length));
  return ordered;
}

/** The first items with at most this many characters in all, but at least one. */
function firstSliceOf(items: readonly StepItem[], characters: number): readonly StepItem[] {
  let sum = 0;
  const end = items.findIndex(({ memory }, i) => {
    sum += memory.content.length;
    return i > 0 && sum > characters;
  });
  return end < 0 ? items : items.slice(0, end);
}

const backOff = { first: 500, most: 30_000 };

/** Pause after failures: twice as long after each, 30 s at most. */
export class Backoff {
  readonly #now: () => number;
  #failures = 0;
  #until = 0;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isLeftAlone(): boolean {
    return this.#until > this.#now();
  }

  failed(): void {
    this.#failures++;
    this.#until = this.#now() + backOffMs(this.#failures, backOff);
  }

  /** Ends the pause: it answered, or no work is left. */
  reset(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Milliseconds until the next try, at most `most`. */
  left(most: number): number {
    if (this.#until === 0) return most;
    return Math.max(1, Math.ceil(Math.min(most, this.#until - this.#now())));
  }
}
