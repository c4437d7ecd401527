import type { Memory } from '../memories/memory.ts';
import type { UserWriters } from '../shared/stores.ts';
import type { StepKey } from './step-key.ts';

/** A version of a memory for which a step is to be done. */
export interface StepItem {
  readonly userId: number;
  readonly memory: Memory;
  /** Tries that failed before. */
  readonly attempts: number;
  /** Whether the version was there before its work was recorded: of a back-fill, or to be done again. */
  readonly isOlder: boolean;
}

export interface StepResult<R> {
  readonly item: StepItem;
  readonly result: R;
}

/**
 * Something derived from each memory after it is written. The work for it is recorded in the memory's transaction, and
 * taken up by a `JobWorker`: a step has no SQL, no loop, no retry and no clock of its own.
 */
export interface Step<R = unknown> extends StepKey {
  /** Items taken at once, for a step that takes seconds for each. */
  readonly batchMax?: number;
  /**
   * Computes one result an item, in order, outside of any transaction. Where it throws, each item is tried alone; an
   * item that fails three times is parked with its error.
   */
  run(batch: readonly StepItem[]): Promise<readonly R[]>;
  /**
   * Writes results of one user in the transaction that strikes the work off: either both are kept or neither.
   * Awaits nothing but `tx`.
   */
  write(tx: UserWriters, results: readonly StepResult<R>[]): Promise<void>;
  /** Whether an error says nothing of the item, as that of a server that is away: then no try is counted. */
  isUnavailable?(error: unknown): boolean;
}

export function stepLabel({ name, version }: StepKey): string {
  return `${name} ${version}`;
}
