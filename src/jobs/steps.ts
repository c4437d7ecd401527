import { deriveStepKey } from '../domain/derivation/deriver.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { StepKey } from '../domain/jobs/step-key.ts';
import { relateStepKey } from '../domain/relationships/relater.ts';
import { type DeriveStepDeps, deriveStep } from './steps/derive.ts';
import { type RelateStepDeps, relateStep } from './steps/relate.ts';

/**
 * Steps that each memory goes through after it is written, besides the one that embeds (`steps/embed.ts`), of which there
 * is one for each vector space. See "To add a step" in ARCHITECTURE.md.
 */
export const memoryStepKeys: readonly StepKey[] = [deriveStepKey, relateStepKey];

/** The steps of those keys. */
export function memorySteps(deps: DeriveStepDeps & RelateStepDeps): readonly Step[] {
  return [deriveStep(deps) as Step, relateStep(deps) as Step];
}
