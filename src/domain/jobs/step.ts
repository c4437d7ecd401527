import type { Memory } from '../memories/memory.ts';
import type { UserWriters } from '../shared/stores.ts';
import type { StepKey } from './step-key.ts';

/** A version of a memory for which a step is due. */
export interface StepItem {
  readonly userId: number;
  readonly memory: Memory;
  /** Number of failed tries. */
  readonly attempts: number;
  /** Whether the version existed before its work was recorded: the step is back-filled or done again. */
  readonly isOlder: boolean;
}

export interface StepResult<R> {
  readonly item: StepItem;
  readonly result: R;
}

/**
 * A derivation from each memory after it is written. Its work is recorded in the memory's
 * transaction and run by a `JobWorker`, so a step needs no SQL, loop, retry or clock of its own.
 */
export interface Step<R = unknown> extends StepKey {
  /** Maximum items per batch, for a step that takes seconds per item. */
  readonly batchMax?: number;
  /**
   * Computes one result per item, in order, outside of any transaction. If it throws,
   * each item is tried alone; an item that fails three times is parked with its error.
   */
  run(batch: readonly StepItem[]): Promise<readonly R[]>;
  /**
   * Writes results of one user in the transaction that removes the
   * work: either both are kept or neither. Awaits nothing but `tx`.
   */
  write(tx: UserWriters, results: readonly StepResult<R>[]): Promise<void>;
  /**
   * Whether an error is not about the item, such as that of an unreachable server; no try is counted then.
   */
  isUnavailable?(error: unknown): boolean;
}

export function stepLabel({ name, version }: StepKey): string {
  return `${name} ${version}`;
}
