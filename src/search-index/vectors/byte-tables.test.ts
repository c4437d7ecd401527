import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { byteTables, sumOf } from './byte-tables.ts';

describe('tables of a query', () => {
  it.each([256, 40, 6])('tables of a query give what the bits stand for, %i numbers', (dimension) => {
    const random = randomFrom(dimension);
    const query = Float32Array.from({ length: dimension }, () => random.int(-500, 500) / 1000);
    const words = Math.ceil(dimension / 32);
    const bits = Int32Array.from({ length: words }, () => random.int(-(2 ** 31), 2 ** 31 - 1));
    const exact = query.reduce((sum, q, i) => sum + ((bits[i >> 5] >>> (i & 31)) & 1 ? q : -q), 0);
    const { tables, deviationFrom } = byteTables(query);
    const unit = deviationFrom(0) / Math.hypot(...query);
    expect(sumOf(tables, bits, 0, 0, words) / unit).toBeCloseTo(exact, 2);
    expect(deviationFrom(words)).toBe(0);
  });

  it('tables of an empty query give nothing', () => {
    const { tables } = byteTables(new Float32Array(32));
    expect(tables.every((sum) => sum === 0)).toBe(true);
  });
});
