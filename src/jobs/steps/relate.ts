import type { Step } from '../../domain/jobs/step.ts';
import { type Related, type Relater, relateStepKey } from '../../domain/relationships/relater.ts';
import { writeFoundEdges } from '../../domain/relationships/write-found-edges.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { Clock } from '../../lib/clock.ts';

export interface RelateStepDeps {
  readonly relater: Relater;
  readonly clock: Clock;
  /** Their indexer is for versions that a change of state opens. */
  readonly stores: Stores;
}

/** Finds relationships between a version of a memory and others, before and after it. */
export function relateStep({ relater, clock, stores }: RelateStepDeps): Step<Related> {
  return {
    ...relateStepKey,
    run: (batch) => relater.relate(batch),
    write: (tx, results) =>
      writeFoundEdges(
        { tx, at: clock.now(), indexer: stores.forUser({ id: results[0].item.userId }).indexer },
        results.map(({ item, result }) => ({ memory: item.memory, pairs: result.pairs })),
      ),
  };
}
