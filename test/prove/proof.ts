import type { Engine } from '../support/database.ts';

export type Size = 'small' | 'full';

export interface ProofContext {
  engine: Engine;
  size: Size;
  /** Equal seeds make equal choices; what runs at the same time still interleaves as it likes. */
  seed: number;
  log(line: string): void;
}

/** What was counted while proving, for the table at the end. */
export type ProofResult = { counted: Record<string, number> } | { skipped: string };

/** One claim about the service, checked from outside. `run` throws when the claim does not hold. */
export interface Proof {
  name: string;
  claim: string;
  run(context: ProofContext): Promise<ProofResult>;
}

/** Fails with everything that helps to see why. */
export function demand(condition: boolean, what: string, ...seen: unknown[]): asserts condition {
  if (condition) return;
  const shown = seen.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  throw new Error([what, ...shown.map((text) => `  ${text?.slice(0, 2_000)}`)].join('\n'));
}
