import type { StepKey } from '../jobs/step-key.ts';
import type { DerivedEntity, DerivedFact } from './derived.ts';

/** Only where an LLM is configured. It does not follow `derive`, which is done again more often than texts change. */
export const proposeStepKey = { name: 'propose', version: 1 } as const satisfies StepKey;

/** What an LLM adds to what the rules find in one version of a memory; all of it stands in the text. */
export interface Proposals {
  readonly entities: readonly DerivedEntity[];
  /** The places of their entities are those in `entities` and, after these, in `derivedEntities`. */
  readonly facts: readonly DerivedFact[];
  /** What the rules find: only facts are linked to them. */
  readonly derivedEntities: readonly DerivedEntity[];
}
