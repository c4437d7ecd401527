import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Derived } from './derived.ts';

/** Its version is raised with that of the language stack: everything is then derived again. */
export const deriveStepKey = { name: 'derive', version: 3 } as const satisfies StepKey;

/** Finds out what memories say. */
export interface Deriver {
  /** One result an item, in order. */
  derive(batch: readonly StepItem[]): Promise<Derived[]>;
  /** Ends what it has running. */
  close(): Promise<void>;
}
