import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { loadStaticModel, StaticEmbedder } from '../../embedding/static/static-model.ts';
import { cosine, toInt8, toWholeQuery } from './quantize.ts';
import { NibbleSums } from './simd/nibble-sums.ts';
import { VectorCodes } from './vector-codes.ts';

const dimension = 256;

const model = loadStaticModel(fileURLToPath(new URL('../../../models/static-en-256', import.meta.url)));
const embedder = new StaticEmbedder('static-en-256', model);
const words = model.vocabulary.filter((word) => /^[a-z]{4,}$/.test(word)).slice(0, 6000);

/** Vectors of texts; half of the texts each have a subject of their own. */
function textVectors(count: number, seed: number): Float32Array[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const from = random.int(0, words.length - 60);
    const text = Array.from({ length: random.int(6, 20) }, () =>
      random.chance(0.5) ? words[from + random.int(0, 59)] : random.pick(words),
    );
    return embedder.embedNow(text.join(' '));
  });
}

function meanOf(vectors: readonly Float32Array[]) {
  return Float32Array.from({ length: dimension }, (_, i) =>
    vectors.reduce((sum, vector) => sum + vector[i] / vectors.length, 0),
  );
}

describe('int8 vectors', () => {
  it('int8 vectors keep cosines to the second digit', () => {
    const [a, ...others] = textVectors(200, 3);
    for (const other of others) {
      const exact = a.reduce((sum, value, i) => sum + value * other[i], 0);
      expect(Math.abs(cosine(toWholeQuery(a), toInt8(other)) - exact)).toBeLessThan(0.01);
    }
    expect(cosine(toWholeQuery(a), toInt8(new Float32Array(dimension)))).toBe(0);
  });
});

describe('vector codes', () => {
  it('vector codes keep 97 % of the exact first 20 among the nearest 400 of 20,000, filtered or not', () => {
    const vectors = textVectors(20_000, 5);
    const codes = new VectorCodes(dimension, meanOf(vectors));
    for (const [row, vector] of vectors.entries()) codes.add(row, toInt8(vector));
    for (const every of [1, 10, 1000]) {
      const passes = (row: number) => row % every === 0;
      let kept = 0;
      let target = 0;
      for (const query of textVectors(40, 7)) {
        const exact = vectors
          .map((vector, row) => ({ row, c: vector.reduce((sum, value, i) => sum + value * query[i], 0) }))
          .filter(({ row }) => passes(row))
          .sort((a, b) => b.c - a.c)
          .slice(0, 20);
        const near = codes.nearest(query, { count: 400, isSeen: passes });
        kept += exact.filter(({ row }) => near.has(row)).length;
        target += exact.length;
      }
      expect(kept / target).toBeGreaterThanOrEqual(0.97);
    }
  });

  it('vector codes give the same estimates with and without SIMD', () => {
    const vectors = textVectors(5000, 11);
    const bySimd = new VectorCodes(dimension, meanOf(vectors));
    const oneByOne = new VectorCodes(dimension, meanOf(vectors), new NibbleSums(undefined));
    for (const [row, vector] of vectors.entries())
      for (const codes of [bySimd, oneByOne]) codes.add(row, toInt8(vector));
    for (const query of textVectors(20, 13))
      for (const passes of [undefined, (row: number) => row % 10 === 0]) {
        const target = { count: 100, isSeen: () => true, passes };
        const sorted = (codes: VectorCodes) => [...codes.nearest(query, target)].sort(([a], [b]) => a - b);
        expect(sorted(bySimd)).toEqual(sorted(oneByOne));
      }
  });

  it('vector codes give rows that pass, all where there are fewer than asked for', () => {
    const anyRows = fc.array(fc.nat(30), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anyRows, fc.nat(1000), fc.integer({ min: 1, max: 70 }), (rows, seed, count) => {
        const vectors = textVectors(rows.length, seed);
        const codes = new VectorCodes(dimension);
        for (const [i, row] of rows.entries()) codes.add(row, toInt8(vectors[i]));
        const near = codes.nearest(vectors[0], { count, isSeen: (row) => row % 2 === 0 });
        expect([...near.keys()].every((row) => row % 2 === 0)).toBe(true);
        const left = new Set(rows.filter((row) => row % 2 === 0));
        if (count >= rows.length) expect(new Set(near.keys())).toEqual(left);
        else expect(near.size).toBeLessThanOrEqual(count);
      }),
    );
  });
});
