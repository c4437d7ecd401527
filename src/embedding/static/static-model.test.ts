import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import {
  loadStaticModel,
  PieceSums,
  type PieceVectors,
  StaticEmbedder,
  SynonymTable,
} from './static-model.ts';

const folder = fileURLToPath(new URL('../../../models/static-en-256', import.meta.url));
const model = loadStaticModel(folder);
const embedder = new StaticEmbedder('static-en-256', model);

interface Check {
  text: string;
  tokens: number[];
  norm: number;
  vector16: number[];
}
const checks = readFileSync(join(folder, 'check.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Check);

describe('the static embedder', () => {
  it.each(checks)(
    'the static embedder gives the tokens and the vector of the model for $text',
    ({ text, tokens, norm, vector16 }) => {
      expect(model.pieces.tokensOf(text)).toEqual(tokens);
      expect(Math.hypot(...embedder.sumOf(text))).toBeCloseTo(norm, 3);
      const vector = embedder.embedNow(text);
      for (const [i, value] of vector16.entries()) expect(Math.abs(vector[i] - value)).toBeLessThan(1e-4);
    },
  );

  it('the static embedder gives a unit vector, or nothing, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const length = Math.hypot(...embedder.embedNow(text));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
    expect(Math.hypot(...embedder.embedNow(''))).toBe(0);
    expect(Math.hypot(...embedder.embedNow('[UNK]'))).toBe(0);
  });
});

describe('a model that is damaged', () => {
  const copy = () => {
    const temp = newTempFolder('model');
    for (const file of ['model.safetensors', 'vocab.txt'])
      copyFileSync(join(folder, file), join(temp.path, file));
    return temp;
  };

  it.each([
    ['cut off', 'model.safetensors', (path: string) => truncateSync(path, 5_000_000)],
    ['empty', 'model.safetensors', (path: string) => truncateSync(path, 0)],
    ['no model at all', 'model.safetensors', (path: string) => writeFileSync(path, 'x'.repeat(100))],
    ['of another vocabulary', 'vocab.txt', (path: string) => writeFileSync(path, 'one\ntwo\n')],
  ])('a damaged model is refused with the file named: %s', (_, file, damage) => {
    const temp = copy();
    damage(join(temp.path, file));
    expect(() => loadStaticModel(temp.path)).toThrow(join(temp.path, file));
    temp.remove();
  });

  it('a damaged model is refused where a file is missing', () => {
    expect(() => loadStaticModel('/nowhere')).toThrow('/nowhere/model.safetensors cannot be read (ENOENT)');
  });
});

const words = new SynonymTable(
  loadStaticModel(fileURLToPath(new URL('../../../models/static-en-256', import.meta.url))),
);

describe('synonyms', () => {
  it('synonyms are close in meaning and have other stems, nearest first', () => {
    const near = words.near('pets');
    const names = near.map(({ word }) => word);
    expect(names).toEqual(expect.arrayContaining(['dogs', 'cats', 'rabbits']));
    expect(names).not.toContain('pets');
    for (const [i, { closeness }] of near.entries()) {
      expect(closeness).toBeGreaterThanOrEqual(0.3);
      expect(closeness).toBeLessThanOrEqual(near[Math.max(0, i - 1)].closeness);
    }
  });

  it('synonyms are none for what is no whole word of the vocabulary', () => {
    expect(words.near('qzxxq')).toEqual([]);
    expect(words.near('##ing')).toEqual([]);
    expect(words.near('')).toEqual([]);
  });
});

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
