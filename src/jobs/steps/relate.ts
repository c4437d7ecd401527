import type { Step } from '../../domain/jobs/step.ts';
import {
  type Related,
  type RelationshipFinder,
  relateStepKey,
} from '../../domain/relationships/relationship-steps.ts';
import { writeFoundRelationships } from '../../domain/relationships/write-found-relationships.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { Clock } from '../../lib/clock.ts';

export interface RelateStepDeps {
  readonly relationshipFinder: RelationshipFinder;
  readonly clock: Clock;
  /** Their indexer is for versions that a change of state opens. */
  readonly stores: Stores;
}

/** Finds relationships between a version of a memory and others, before and after it. */
export function relateStep({ relationshipFinder, clock, stores }: RelateStepDeps): Step<Related> {
  return {
    ...relateStepKey,
    run: (batch) => relationshipFinder.relate(batch),
    write: (tx, results) =>
      writeFoundRelationships(
        { tx, at: clock.now(), indexer: stores.forUser({ id: results[0].item.userId }).indexer },
        results.map(({ item, result }) => ({ memory: item.memory, pairs: result.pairs })),
      ),
  };
}
