import { deriveStepKey } from '../derivation/deriver.ts';
import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { ComparedPair } from './found-edge.ts';

/** Its version is raised with the rules for relationships: all memories are then compared again. */
export const relateStepKey = {
  name: 'relate',
  version: 1,
  after: deriveStepKey.name,
} as const satisfies StepKey;

/** What a version of a memory was compared with; empty where it is not the open version of a live memory. */
export interface Related {
  readonly pairs: readonly ComparedPair[];
}

/** Finds what memories have to do with their neighbours. */
export interface RelationshipFinder {
  /** One result an item, in order. */
  relate(batch: readonly StepItem[]): Promise<Related[]>;
}
