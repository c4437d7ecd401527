import type { Step } from '../../domain/jobs/step.ts';
import {
  type EdgeProposer,
  type ProposedRelationships,
  proposeEdgesStepKey,
} from '../../domain/relationships/edge-proposer.ts';
import { writeProposedEdges } from '../../domain/relationships/write-proposed-edges.ts';
import type { Clock } from '../../lib/clock.ts';
import { llmTurns } from './propose.ts';

export interface ProposeEdgesStepDeps {
  readonly edgeProposer: EdgeProposer;
  readonly clock: Clock;
}

/** Has an LLM propose what each memory has to do with earlier ones. */
export function proposeEdgesStep({ edgeProposer, clock }: ProposeEdgesStepDeps): Step<ProposedRelationships> {
  return {
    ...proposeEdgesStepKey,
    batchMax: llmTurns * edgeProposer.concurrency,
    run: (batch) => edgeProposer.propose(batch),
    write: (tx, results) =>
      writeProposedEdges(
        tx,
        results.map(({ result }) => result),
        clock.now(),
      ),
    isUnavailable: (error) => edgeProposer.isUnavailable(error),
  };
}
