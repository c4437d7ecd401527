import type { StepKey } from '../jobs/step-key.ts';
import type { DerivedEntity, DerivedFact } from './derived.ts';

/**
 * Runs only if an LLM is configured. Its version is independent
 * of `derive`, which runs again more often than texts change.
 */
export const proposeStepKey = { name: 'propose', version: 1 } as const satisfies StepKey;

/** An LLM's additions to the derived records of one version of a memory; the text contains all of them. */
export interface Proposals {
  readonly entities: readonly DerivedEntity[];
  /** Their entity indices count through `entities` and then `derivedEntities`. */
  readonly facts: readonly DerivedFact[];
  /** The derived entities; only facts are linked to them. */
  readonly derivedEntities: readonly DerivedEntity[];
}
