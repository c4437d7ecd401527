import type { StepItem } from '../jobs/step.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Derived } from './derived.ts';

/** The version rises with that of the language stack; all memories are then derived again. */
export const deriveStepKey = { name: 'derive', version: 3 } as const satisfies StepKey;

/** Derives entities, facts, topics and times from memories. */
export interface Deriver {
  /** One result per item, in order. */
  derive(batch: readonly StepItem[]): Promise<Derived[]>;
  /** Stops its running work. */
  close(): Promise<void>;
}
