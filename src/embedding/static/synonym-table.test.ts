import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadStaticModel } from './static-model.ts';
import { SynonymTable } from './synonym-table.ts';

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
