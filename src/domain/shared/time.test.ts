import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toIso } from './time.ts';

describe('toIso', () => {
  it('writes every time of the years 0000 to 9999 as Date does', () => {
    const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(time, fc.integer({ min: -1000, max: 1000 }), (at, step) => {
        for (const each of [at, Math.min(at + step, 253_402_300_799_999)])
          expect(toIso(each)).toBe(new Date(each).toISOString());
      }),
    );
  });
});
