import type { UserWriters } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { StepItem } from './step.ts';
import type { StepKey } from './step-key.ts';

/** New state of work that could not be done. */
export interface PutOff {
  readonly item: StepItem;
  /** Number of failed tries, including this one if it counts. */
  readonly attempts: number;
  /** Epoch milliseconds; null parks the work until it is released. */
  readonly dueAt: number | null;
  readonly error: unknown;
}

/** Status of one step's work, of all users or of one. */
export interface StepStatus {
  readonly step: string;
  /** Items to do, including those that failed before. */
  readonly waiting: number;
  /** Number of the waiting items that failed at least once. */
  readonly failed: number;
  /** Items given up after three tries, until they are released. */
  readonly parked: number;
  /** Code or kind of the last error, never its text; undefined if none failed. */
  readonly lastError: string | undefined;
}

/**
 * `failed`: counted as a try; `unavailable`: not counted, because
 * a dependency was unreachable; `parked`: the last try failed.
 */
const jobOutcomes = ['done', 'failed', 'unavailable', 'parked'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** Number of a step's items with an outcome in this process, since its start. */
export interface OutcomeCount {
  readonly step: string;
  readonly outcome: JobOutcome;
  readonly items: number;
}

/** Durations of a transaction of background work, in milliseconds. */
export interface WriteTimes {
  /** Time in which it kept others waiting: of a server's transaction only that of this process's event loop. */
  readonly keptOffMs: number;
  /** Time without the waits for the database, during which this process did other work. */
  readonly workedMs: number;
}

/** Limits and order of taking work. */
export interface TakeOptions {
  /** Maximum items: all for one user if no other has work, else each user's share, but four if the user has as many. */
  readonly limit: number;
  /** Lease: unfinished work is due again after it, in case the process ended. */
  readonly leaseMs: number;
  /** The user who was served last; users after this one have the next turn. */
  readonly after?: number;
  /** Whether work of older versions has priority; by default work of new versions has. */
  readonly isOlderFirst?: boolean;
}

/** Work recorded for steps, shared by all processes of a store. */
export interface WorkStore {
  /**
   * Returns the work of an ended process to the queue, if the engine allows only one process. Called once.
   */
  recover(): Promise<void>;
  /**
   * Records work for the next versions of a back-fill, at most 500, unless work of older versions is due already.
   * @returns whether it found any versions
   */
  backfill(step: StepKey): Promise<boolean>;
  /** Takes due work: users in turn, a user's versions in the order of writing; either new versions or older ones. */
  take(step: StepKey, options: TakeOptions): Promise<StepItem[]>;
  /** Whether a user without any of these items, which were taken together, has a turn. */
  isOthersTurn(step: StepKey, items: readonly StepItem[]): Promise<boolean>;
  /** Returns work that was taken and not tried. */
  handBack(step: StepKey, items: readonly StepItem[]): Promise<void>;
  /** Users whose results are worth writing at the same time: one if a file takes all writes. */
  readonly usersTogether: number;
  /** Minimum milliseconds between two calls of `take` for a step, unless the first returned `limit` items: new work is taken in batches. */
  readonly gatherMs: number;
  /**
   * Removes the work and calls `write` with the versions that still had it, in one transaction. Does nothing if the user is gone.
   * @param steps the step, and those whose results `write` writes with its own
   */
  finish(
    steps: readonly [StepKey, ...StepKey[]],
    userId: number,
    docs: readonly number[],
    write: (tx: UserWriters, docs: ReadonlySet<number>) => Promise<void>,
  ): Promise<WriteTimes>;
  putOff(step: StepKey, works: readonly PutOff[]): Promise<void>;
  /** Puts parked work of all steps or of one back in the queue. @returns the number of items */
  release(step?: string): Promise<number>;
  /**
   * Repeats a step for every version, including those given up; a running
   * service begins within a second. Steps that depend on it follow.
   * @param user limits it to the versions of one user; a running back-fill continues
   */
  redo(step: StepKey, user?: UserRef): Promise<void>;
  /** Versions that the back-fill of a step has processed, and their total; equal once it is done. */
  backfilled(step: StepKey): Promise<{ readonly done: number; readonly total: number }>;
  /** Remaining work of a step in this program's version, not in a newer program's. */
  left(step: StepKey): Promise<{ readonly waiting: number; readonly parked: number }>;
  /** Steps with any work, by name. */
  status(user?: UserRef): Promise<StepStatus[]>;
  /**
   * Records whether the last try of a step found its dependencies available.
   * Callers do not wait for the work of a step that is unavailable.
   */
  noteAvailable(step: StepKey, isAvailable: boolean): void;
  isAvailable(step: StepKey): boolean;
  readonly outcomes: readonly OutcomeCount[];
  /** Number of recordings of work in this process, for `nextWork`. */
  readonly recorded: number;
  /** Resolves if work was recorded since `recorded` was `seen`, after `ms`, or if `signal` aborts. */
  nextWork(seen: number, ms: number, signal: AbortSignal): Promise<void>;
}
