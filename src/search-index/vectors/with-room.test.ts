import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { dot } from '../../domain/embedding/similarity.ts';
import type { InMemoryVectorIndex } from './nearest-rows.ts';
import { cosine, toInt8, toWholeQuery } from './quantize.ts';
import { VectorCodes, WholeVectors, withRoom } from './vector-codes.ts';

const dimension = 32;

function unitVectors(count: number, seed: number, numbers = dimension): Float32Array[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from({ length: numbers }, () => random.int(-1000, 1000) + 0.5);
    const length = Math.hypot(...vector);
    return vector.map((number) => number / length);
  });
}

const kinds: [string, () => InMemoryVectorIndex][] = [
  ['whole vectors', () => new WholeVectors(dimension)],
  ['codes', () => new VectorCodes(dimension)],
];

describe.each(kinds)('nearest among %s', (_, hold) => {
  it('the nearest rows are those that are visible and those that pass, as if asked for one after the other', () => {
    const anyRows = fc.array(fc.nat(60), { minLength: 1, maxLength: 120 });
    const kept = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(
        anyRows,
        kept,
        fc.nat(1000),
        fc.integer({ min: 1, max: 70 }),
        (rows, every, seed, count) => {
          const index = hold();
          const [query, ...vectors] = unitVectors(rows.length + 1, seed);
          for (const [i, row] of rows.entries()) index.add(row, toInt8(vectors[i]));
          const isSeen = (row: number) => row % every[0] !== 1;
          const passes = (row: number) => isSeen(row) && row % every[1] !== 2;
          const both = index.nearest(query, { count, isSeen, passes });
          const seen = index.nearest(query, { count, isSeen });
          const passing = index.nearest(query, { count, isSeen: passes });
          expect(both).toEqual(new Map([...seen, ...passing]));
        },
      ),
      // Codes skip vectors by likelihood, so that a random seed would rarely fail.
      { seed: 7 },
    );
  });
});

describe.each([
  ['whole vectors', (numbers: number): InMemoryVectorIndex => new WholeVectors(numbers)],
  ['codes', (numbers: number): InMemoryVectorIndex => new VectorCodes(numbers)],
])('vectors added together, %s', (_, hold) => {
  it.each([32, 30, 256])(
    'vectors added together are as if added one by one, without those of no row, %i numbers a vector',
    (numbers) => {
      const anyRows = fc.array(fc.integer({ min: -1, max: 60 }), { minLength: 1, maxLength: 150 });
      fc.assert(
        fc.property(anyRows, fc.nat(1000), (rows, seed) => {
          const [query, ...vectors] = unitVectors(rows.length + 1, seed, numbers);
          const stored = vectors.map(toInt8);
          const [one, together] = [hold(numbers), hold(numbers)];
          for (const [i, row] of rows.entries()) if (row >= 0) one.add(row, stored[i]);
          const half = rows.length >> 1;
          for (const [from, end] of [
            [0, half],
            [half, rows.length],
          ])
            together.addAll({
              rows: Int32Array.from(rows.slice(from, end)),
              numbers: Int8Array.from(stored.slice(from, end).flatMap((vector) => [...vector])),
              squares: Int32Array.from(stored.slice(from, end), (vector) => dot(vector, vector)),
            });
          expect(together.size).toBe(one.size);
          const target = { count: 200, isSeen: () => true };
          expect(together.nearest(query, target)).toEqual(one.nearest(query, target));
        }),
        { seed: 11 },
      );
    },
  );
});

describe('whole vectors', () => {
  it.each([32, 30])('whole vectors give the cosines themselves, %i numbers a vector', (numbers) => {
    const whole = new WholeVectors(numbers);
    const [query, ...vectors] = unitVectors(200, 3, numbers);
    for (const [row, vector] of vectors.entries()) whole.add(row, toInt8(vector));
    whole.add(vectors.length, new Int8Array(numbers));
    const isSeen = () => true;
    const near = whole.nearest(query, { count: 300, isSeen });
    expect(near.size).toBe(200);
    for (const [row, estimate] of near) {
      const stored = vectors[row] ? toInt8(vectors[row]) : new Int8Array(numbers);
      // Equal to the last digit: `cosine` scores PostgreSQL's rows, and scores are the same on both engines.
      expect(estimate).toBe(cosine(toWholeQuery(query), stored));
    }
    const nearest = [...whole.nearest(query, { count: 10, isSeen })];
    const cosines = [...near.values()].sort((x, y) => y - x);
    expect(nearest.map(([, cosine]) => cosine).sort((x, y) => y - x)).toEqual(cosines.slice(0, 10));
  });

  it('whole vectors leave out what is below the cosine asked for, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(59),
        fc.integer({ min: 1, max: 70 }),
        fc.boolean(),
        (seed, place, count, isFiltered) => {
          const whole = new WholeVectors(dimension);
          const [query, ...vectors] = unitVectors(61, seed);
          for (const [row, vector] of vectors.entries()) whole.add(row, toInt8(vector));
          const passes = isFiltered ? (row: number) => row % 3 === 0 : undefined;
          const all = whole.nearest(query, { count, isSeen: () => true, passes });
          const atLeast = [...all.values()][place % all.size];
          const near = whole.nearest(query, { count, isSeen: () => true, passes, atLeast });
          expect(near).toEqual(new Map([...all].filter(([, cosine]) => cosine >= atLeast)));
        },
      ),
    );
  });
});

describe('cached vectors', () => {
  const vectors = unitVectors(400, 5);
  /** Rows fall and repeat: they differ from places. */
  const rowOf = (place: number) => 1000 - (place >> 1);

  it.each([
    [300, WholeVectors, true],
    [400, VectorCodes, false],
  ])('vectors of a user with %i are, by their number, %o', (count, kind, isExact) => {
    let index: InMemoryVectorIndex | undefined;
    for (let i = 0; i < count; i++) {
      index = withRoom(index, dimension, 1, 300 * dimension);
      index.add(rowOf(i), toInt8(vectors[i]));
    }
    expect(index).toBeInstanceOf(kind);
    expect(index?.isExact).toBe(isExact);
    expect(index?.size).toBe(count);
    for (const place of [0, 98, count - 1])
      expect([...(index?.nearest(vectors[place], { count: 1, isSeen: () => true }).keys() ?? [])]).toEqual([
        rowOf(place),
      ]);
  });
});
