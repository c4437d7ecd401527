import { describe, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Proof } from './proof.ts';

const smallDeadlineMs = 360_000;

/** The small size of a proof as one vitest case per engine. */
export function proveSmall(proof: Proof): void {
  describe(`proof ${proof.name}`, () => {
    for (const engine of engines) {
      it(
        `${proof.claim} (${engine})`,
        async (context) => {
          const result = await proof.run({ engine, size: 'small', seed: 1, log: () => {} });
          if ('skipped' in result) context.skip(result.skipped);
        },
        smallDeadlineMs,
      );
    }
  });
}
