import { deriveStepKey } from '../derivation/deriver.ts';
import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Memory } from '../memories/memory.ts';
import type { ComparedPair, FoundRelationship } from './found-relationship.ts';
/** Raise its version with the rules for relationships: all memories are then compared again. */
export const relateStepKey = {
  name: 'relate',
  version: 2,
  after: deriveStepKey.name,
} as const satisfies StepKey;

/** The pairs in which a version was compared; none if it is not the open version of a live memory. */
export interface Related {
  readonly pairs: readonly ComparedPair[];
  /** Whether the memory had relationships or candidates when it was compared. */
  readonly isRelated: boolean;
}

/** Finds relationships of memories to their neighbours, by rules. */
export interface RelationshipFinder {
  /** One result an item, in order. */
  relate(batch: readonly StepItem[]): Promise<Related[]>;
}

/**
 * Runs only with an LLM, and not after `derive` or `relate`, which are
 * repeated more often than texts change: each request costs money.
 */
export const proposeRelationshipsStepKey = { name: 'propose-edges', version: 1 } as const satisfies StepKey;

/** A relationship that an LLM proposes, of a memory to an earlier one. */
export interface ProposedRelationship {
  readonly target: Memory;
  readonly found: FoundRelationship;
  /** Made without being asked for; else a candidate. */
  readonly isActing: boolean;
}

/** The proposals for one memory. */
export interface ProposedRelationships {
  /** The open version with the text that the LLM was asked about; undefined if there is none. */
  readonly memory: Memory | undefined;
  readonly proposed: readonly ProposedRelationship[];
}

/** Asks an LLM for relationships of memories to earlier ones. */
export interface RelationshipProposer {
  /** Memories asked about at the same time. */
  readonly concurrency: number;
  /**
   * One result for each item, in order. Throws if one fails;
   * a repeated call does not ask for the others again.
   */
  propose(batch: readonly StepItem[]): Promise<ProposedRelationships[]>;
  /**
   * Whether the error is independent of the memory: the LLM
   * is unreachable, too slow, or out of its daily tokens.
   */
  isUnavailable(error: unknown): boolean;
}
