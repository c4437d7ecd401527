import type { UserWriters } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { StepItem } from './step.ts';
import type { StepKey } from './step-key.ts';

/** What becomes of work that could not be done. */
export interface PutOff {
  readonly item: StepItem;
  /** Tries that failed, this one included where it counts. */
  readonly attempts: number;
  /** Epoch milliseconds; null parks it until somebody releases it. */
  readonly dueAt: number | null;
  readonly error: unknown;
}

/** The work of one step, of all users or of one. */
export interface StepStatus {
  readonly step: string;
  /** Items to do, those that failed before included. */
  readonly waiting: number;
  /** Of those waiting, how many failed at least once. */
  readonly failed: number;
  /** Given up after three tries, until they are released. */
  readonly parked: number;
  /** Code or kind of the last error, never its text; undefined where nothing failed. */
  readonly lastError: string | undefined;
}

/** `failed`: counted as a try; `unavailable`: not, for what the step needs was away; `parked`: the last try failed. */
export const jobOutcomes = ['done', 'failed', 'unavailable', 'parked'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** Items of a step that ended so in this process, since its start. */
export interface OutcomeCount {
  readonly step: string;
  readonly outcome: JobOutcome;
  readonly items: number;
}

/** Milliseconds of a transaction of background work. */
export interface WriteTimes {
  /** For which the user's other writes were kept off. */
  readonly keptOffMs: number;
  /** The same without those in which this process did other things while it waited for the database. */
  readonly workedMs: number;
}

/** What is taken, for how long, and whose turn it is. */
export interface TakeOptions {
  /** Items at most: all of one user where no other has any, else each user's share. */
  readonly limit: number;
  /** After that it is due again, should the process have ended. */
  readonly leaseMs: number;
  /** The user who was served last: the turn is of those after. */
  readonly after?: number;
  /** Whether work of older versions goes first; by default it comes when there is none of new ones. */
  readonly isOlderFirst?: boolean;
}

/** Work recorded for steps, shared by all processes of a store. */
export interface WorkStore {
  /** Takes back what a process took that is no more, where there can be no other process. To be called once. */
  recover(): Promise<void>;
  /**
   * Records work for the next versions, at most 500, that a back-fill comes to, unless some of older versions is due already.
   * @returns whether it came to any
   */
  backfill(step: StepKey): Promise<boolean>;
  /** Takes work that is due, of users in turn; of a user in the order of writing. Either of new versions or of older ones. */
  take(step: StepKey, options: TakeOptions): Promise<StepItem[]>;
  /** Whether a user has a turn who is none of those of the items, which were taken together. */
  isOthersTurn(step: StepKey, items: readonly StepItem[]): Promise<boolean>;
  /** Gives back work that was taken and not tried. */
  handBack(step: StepKey, items: readonly StepItem[]): Promise<void>;
  /**
   * Strikes the work off and calls `write` with the versions for which it was still there, in one transaction.
   * Does nothing for a user who is gone.
   */
  finish(
    step: StepKey,
    userId: number,
    docs: readonly number[],
    write: (tx: UserWriters, docs: ReadonlySet<number>) => Promise<void>,
  ): Promise<WriteTimes>;
  putOff(step: StepKey, works: readonly PutOff[]): Promise<void>;
  /** Puts parked work back in the queue, of all steps or of one. @returns how many items */
  release(step?: string): Promise<number>;
  /**
   * Has a step done again for every version there is, what was given up included; a running service begins within a
   * second. Steps after it follow.
   * @param user whose versions, where not those of all users; a back-fill that is under way goes on
   */
  redo(step: StepKey, user?: UserRef): Promise<void>;
  /** Versions that the back-fill of a step has looked at, of how many; equal when it is over. */
  backfilled(step: StepKey): Promise<{ readonly done: number; readonly total: number }>;
  /** What is left of a step as this program knows it: of its version, not of a newer program's. */
  left(step: StepKey): Promise<{ readonly waiting: number; readonly parked: number }>;
  /** Of steps with any work, by name. */
  status(user?: UserRef): Promise<StepStatus[]>;
  /** Notes whether the last try of a step found what it needs: who waits for its work need not while it does not. */
  noteAvailable(step: StepKey, isAvailable: boolean): void;
  isAvailable(step: StepKey): boolean;
  readonly outcomes: readonly OutcomeCount[];
  /** Count of what was recorded so far in this process, for `nextWork`. */
  readonly recorded: number;
  /** Resolves when work was recorded since `recorded` was `seen`, after `ms`, or when `signal` aborts. */
  nextWork(seen: number, ms: number, signal: AbortSignal): Promise<void>;
}
