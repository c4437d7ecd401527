import { expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { byteTables, sumOf } from './byte-tables.ts';
import { boundsOf, GroupedBits } from './grouped-bits.ts';
import { groupSize, NibbleSums, nibbleSums } from './simd/nibble-sums.ts';

const count = 3000;

function randomBits(dimension: number) {
  const random = randomFrom(dimension);
  const words = Math.ceil(dimension / 32);
  const query = Float32Array.from({ length: dimension }, () => random.int(-500, 500) / 1000);
  const bits = Int32Array.from({ length: words * count }, () => random.int(-(2 ** 31), 2 ** 31 - 1));
  const grouped = new GroupedBits(words, 1);
  grouped.reserve(count);
  for (let i = 0; i < bits.length; i++) grouped.setWord(Math.floor(i / words), i % words, bits[i]);
  return { words, bits, grouped, ...byteTables(query) };
}

it.each([256, 40, 6, 1024])('sums of grouped bits are those of bits in a row, %i numbers', (dimension) => {
  const { words, bits, grouped, tables } = randomBits(dimension);
  for (let i = 0; i < count; i++)
    expect(grouped.sumOf(tables, i, 0, words)).toBe(sumOf(tables, bits, i * words, 0, words));
});

it.each([256, 40, 6, 1024])('no sum is beyond its bound, and bounds are near, %i numbers', (dimension) => {
  const { words, bits, grouped, tables, deviationFrom } = randomBits(dimension);
  const bounds = boundsOf(tables);
  const out = new Uint16Array(grouped.atOnce);
  for (let from = 0; from < count; from += grouped.atOnce) {
    grouped.sums(bounds, from, out);
    for (let i = from; i < Math.min(from + grouped.atOnce, count); i++) {
      const sum = sumOf(tables, bits, i * words, 0, words);
      const bound = bounds.least + bounds.unit * out[i - from];
      expect(bound).toBeGreaterThanOrEqual(sum);
      expect(bound - sum).toBeLessThan(deviationFrom(0));
    }
  }
});

it('a query of zeros has bounds', () => {
  const { least, unit, nibbles } = boundsOf(byteTables(new Float32Array(64)).tables);
  expect([...new Set(nibbles)]).toEqual([0]);
  expect(least).toBeGreaterThan(0);
  expect(unit).toBeGreaterThan(0);
});

it('vectors whose sums are beyond 16 bits, and any without SIMD, are compared one by one', () => {
  expect(nibbleSums.vectorsAtOnce(128) % groupSize).toBe(0);
  expect(nibbleSums.vectorsAtOnce(128)).toBeGreaterThan(0);
  expect(nibbleSums.vectorsAtOnce(129)).toBe(0);
  expect(new NibbleSums(undefined).vectorsAtOnce(32)).toBe(0);
});
