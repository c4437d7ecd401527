import type { Step } from '../../domain/jobs/step.ts';
import {
  type ProposedRelationships,
  proposeRelationshipsStepKey,
  type RelationshipProposer,
} from '../../domain/relationships/relationship-steps.ts';
import { writeProposedRelationships } from '../../domain/relationships/write-found-relationships.ts';
import type { Clock } from '../../lib/clock.ts';
import { llmTurns } from './propose.ts';

export interface ProposeRelationshipsStepDeps {
  readonly relationshipProposer: RelationshipProposer;
  readonly clock: Clock;
}

/** Has an LLM propose what each memory has to do with earlier ones. */
export function proposeRelationshipsStep({
  relationshipProposer,
  clock,
}: ProposeRelationshipsStepDeps): Step<ProposedRelationships> {
  return {
    ...proposeRelationshipsStepKey,
    batchMax: llmTurns * relationshipProposer.concurrency,
    run: (batch) => relationshipProposer.propose(batch),
    write: (tx, results) =>
      writeProposedRelationships(
        tx,
        results.map(({ result }) => result),
        clock.now(),
      ),
    isUnavailable: (error) => relationshipProposer.isUnavailable(error),
  };
}
