import type { StepItem } from '../jobs/step.ts';
import type { Proposals } from './proposals.ts';

/** Asks an LLM about memories. */
export interface MemoryProposer {
  /** Memories that are asked about at once. */
  readonly concurrency: number;
  /** One result an item, in order. Throws where one of them fails; those that succeeded are not asked again. */
  propose(batch: readonly StepItem[]): Promise<Proposals[]>;
  /** Whether an error says nothing of the memory: the LLM is away, late, or the tokens of the day are used up. */
  isUnavailable(error: unknown): boolean;
}
