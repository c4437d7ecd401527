import type { StepItem } from '../jobs/step.ts';
import type { Proposals } from './proposals.ts';

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
