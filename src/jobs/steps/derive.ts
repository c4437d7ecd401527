import type { Derived } from '../../domain/derivation/derived.ts';
import { type Deriver, deriveStepKey } from '../../domain/derivation/deriver.ts';
import type { Step } from '../../domain/jobs/step.ts';
import type { Clock } from '../../lib/clock.ts';

export interface DeriveStepDeps {
  readonly deriver: Deriver;
  readonly clock: Clock;
}

/** Derives entities, facts and topics from each version of a memory. */
export function deriveStep({ deriver, clock }: DeriveStepDeps): Step<Derived> {
  return {
    ...deriveStepKey,
    run: (batch) => deriver.derive(batch),
    write: (tx, results) =>
      tx.derivation.replace(
        results.map(({ item, result }) => ({
          doc: item.memory.doc,
          saidAt: item.memory.updatedAt,
          derived: result,
        })),
        clock.now(),
      ),
  };
}
