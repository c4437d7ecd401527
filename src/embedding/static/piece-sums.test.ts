import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PieceSums, type PieceVectors } from './piece-sums.ts';

function tableOf(dimension: number, numbers: Int8Array, scales: Float32Array): PieceVectors {
  const count = Math.floor(numbers.length / dimension);
  return { dimension, vectors: numbers.subarray(0, count * dimension), scales };
}

const anyCase = fc.record({
  dimension: fc.constantFrom(16, 32, 48),
  numbers: fc.int8Array({ minLength: 48 * 5, maxLength: 48 * 5 }),
  scales: fc.float32Array({ minLength: 5, maxLength: 5, noNaN: true, noDefaultInfinity: true }),
  pieces: fc.array(fc.nat(4), { maxLength: 3000 }),
});

it('sums by SIMD equal those without, to the last digit', () => {
  fc.assert(
    fc.property(anyCase, ({ dimension, numbers, scales, pieces }) => {
      const table = tableOf(dimension, numbers, scales);
      const [bySimd, plain] = [new PieceSums(table), new PieceSums(table, false)];
      expect([bySimd.hasSimd, plain.hasSimd]).toEqual([true, false]);
      expect(bySimd.of(pieces)).toEqual(plain.of(pieces));
    }),
  );
});

it('a sum is that of each vector times its scale, of this text alone', () => {
  const numbers = Int8Array.from({ length: 48 }, (_, i) => i - 24);
  const sums = new PieceSums(tableOf(16, numbers, Float32Array.of(0.5, 2, 1)));
  for (let i = 0; i < 2; i++)
    expect([...sums.of([0, 1, 1])]).toEqual(
      Array.from({ length: 16 }, (_, i) => 0.5 * (i - 24) + 4 * (i - 8)),
    );
  expect([...sums.of([])]).toEqual(Array(16).fill(0));
});

it('vectors of any other length are added up without SIMD', () => {
  const sums = new PieceSums(
    tableOf(
      6,
      Int8Array.from({ length: 6 }, (_, i) => i),
      Float32Array.of(3),
    ),
  );
  expect(sums.hasSimd).toBe(false);
  expect([...sums.of([0, 0])]).toEqual([0, 6, 12, 18, 24, 30]);
});
