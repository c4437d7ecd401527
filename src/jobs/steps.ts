import { deriveStepKey, proposeStepKey } from '../domain/derivation/deriver.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { StepKey } from '../domain/jobs/step-key.ts';
import { proposeRelationshipsStepKey, relateStepKey } from '../domain/relationships/relationship-steps.ts';
import { type DeriveStepDeps, deriveStep } from './steps/derive.ts';
import { type ProposeStepDeps, proposeStep } from './steps/propose.ts';
import { type ProposeRelationshipsStepDeps, proposeRelationshipsStep } from './steps/propose-edges.ts';
import { type RelateStepDeps, relateStep } from './steps/relate.ts';

/**
 * Steps that each memory goes through after it is written, besides the one that embeds (`steps/embed.ts`), of which there
 * is one for each vector space. See "To add a step" in ARCHITECTURE.md.
 */
export const memoryStepKeys: readonly StepKey[] = [deriveStepKey, relateStepKey];

/** The steps of a configuration. */
export function stepKeysOf({
  derive,
  llm,
}: {
  readonly derive: boolean;
  readonly llm: string;
}): readonly StepKey[] {
  if (!derive) return [];
  return llm === 'none' ? memoryStepKeys : [...memoryStepKeys, proposeStepKey, proposeRelationshipsStepKey];
}

/** The steps of those keys; `propose` and `propose-edges` where there is an LLM. */
export function memorySteps(
  deps: DeriveStepDeps & RelateStepDeps & Partial<ProposeStepDeps & ProposeRelationshipsStepDeps>,
): readonly Step[] {
  const { proposer, relationshipProposer, clock } = deps;
  const steps = [deriveStep(deps) as Step, relateStep(deps) as Step];
  if (proposer) steps.push(proposeStep({ proposer, clock }) as Step);
  if (relationshipProposer) steps.push(proposeRelationshipsStep({ relationshipProposer, clock }) as Step);
  return steps;
}
