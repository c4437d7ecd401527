import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Memory } from '../memories/memory.ts';
import type { FoundRelationship } from './found-edge.ts';

/**
 * Only where an LLM is configured. It does not follow `derive` or `relate`, which are done again more often than texts
 * change: each question costs money.
 */
export const proposeRelationshipsStepKey = { name: 'propose-edges', version: 1 } as const satisfies StepKey;

/** What an LLM finds between a memory and an earlier one. */
export interface ProposedRelationship {
  readonly target: Memory;
  readonly found: FoundRelationship;
}

/** What an LLM finds between a memory and earlier ones. */
export interface ProposedRelationships {
  /** The open version of the memory, of the text that was asked about; undefined where there is none. */
  readonly memory: Memory | undefined;
  readonly proposed: readonly ProposedRelationship[];
}

/** Asks an LLM what memories have to do with earlier ones. */
export interface RelationshipProposer {
  /** Memories that are asked about at once. */
  readonly concurrency: number;
  /** One result an item, in order. Throws where one of them fails; those that succeeded are not asked again. */
  propose(batch: readonly StepItem[]): Promise<ProposedRelationships[]>;
  /** Whether an error says nothing of the memory: the LLM is away, late, or the tokens of the day are used up. */
  isUnavailable(error: unknown): boolean;
}
