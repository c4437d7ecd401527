import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { loadStaticModel, StaticEmbedder, SynonymTable } from './static-model.ts';

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
