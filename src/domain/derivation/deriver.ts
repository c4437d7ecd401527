import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Derived, Proposals } from './derived.ts';

/** The version rises with that of the language stack; all memories are then derived again. */
export const deriveStepKey = { name: 'derive', version: 5 } as const satisfies StepKey;

/** Derives entities, facts, topics and times from memories. */
export interface Deriver {
  /** One result per item, in order. */
  derive(batch: readonly StepItem[]): Promise<Derived[]>;
  /** Stops its running work. */
  close(): Promise<void>;
}

/** Asks an LLM for proposals about memories. */
export interface MemoryProposer {
  /** Memories that are asked about at the same time. */
  readonly concurrency: number;
  /** One result per item, in order. Throws if one item fails; the others are not asked again. */
  propose(batch: readonly StepItem[]): Promise<Proposals[]>;
  /**
   * Whether an error is not about the memory: the LLM is
   * unreachable or late, or the day's tokens are used up.
   */
  isUnavailable(error: unknown): boolean;
}

/**
 * Runs only if an LLM is configured. Its version is independent
 * of `derive`, which runs again more often than texts change.
 */
export const proposeStepKey = { name: 'propose', version: 2 } as const satisfies StepKey;
