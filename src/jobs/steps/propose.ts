import type { Proposals } from '../../domain/derivation/derived.ts';
import { type MemoryProposer, proposeStepKey } from '../../domain/derivation/deriver.ts';
import type { Step } from '../../domain/jobs/step.ts';
import type { Clock } from '../../lib/clock.ts';

/** What is taken at once is done within a lease. */
export const llmTurns = 2;

export interface ProposeStepDeps {
  readonly proposer: MemoryProposer;
  readonly clock: Clock;
}

/** Has an LLM propose what the rules missed in each version of a memory. */
export function proposeStep({ proposer, clock }: ProposeStepDeps): Step<Proposals> {
  return {
    ...proposeStepKey,
    batchMax: llmTurns * proposer.concurrency,
    run: (batch) => proposer.propose(batch),
    write: (tx, results) =>
      tx.derivation.propose(
        results.map(({ item, result }) => ({
          doc: item.memory.doc,
          saidAt: item.memory.updatedAt,
          proposals: result,
        })),
        clock.now(),
      ),
    isUnavailable: (error) => proposer.isUnavailable(error),
  };
}
