import { describe, expect, it } from 'vitest';
import { loadBundled } from '../../../embedding/load-models.ts';
import { queryPieces, traitsOf } from './word-pieces.ts';

const table = loadBundled().pieces();
const words = (ids: Iterable<number>) => [...ids].map((id) => table.vocabulary[id]).sort();

describe('what of a text its rank depends on', () => {
  it('a text is its word pieces, each once, without stop words, punctuation and who speaks', () => {
    const { pieces } = traitsOf('Nadia: The pottery, the pottery! and a cup', table);
    expect(words(pieces)).toEqual(['cup', 'pottery']);
    expect([...pieces]).toEqual([...pieces].sort((a, b) => a - b));
  });

  it('a text has a number where it has a digit or a small number as a word, and not within a word', () => {
    const hasNumber = (text: string) => traitsOf(text, table).hasNumber;
    expect(['we have 3 cats', 'two of them', 'Ana: seven!', 'at 21:40'].map(hasNumber)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['someone phoned', 'the weight', 'Ana: tone it down'].map(hasNumber)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('a text has as many names as words with a capital within its sentences, ten at most', () => {
    expect(traitsOf('Ana: We met Ben, Clara and the dog in Oslo. Then home.', table).names).toBe(3);
    expect(traitsOf(`we met ${'Ben and '.repeat(40)}`, table).names).toBe(10);
  });

  it('a text without a word has no pieces', () => {
    expect([...traitsOf('?! …', table).pieces]).toEqual([]);
    expect([...traitsOf('', table).pieces]).toEqual([]);
  });

  it('a query is its pieces without names of speakers, and all of them where nothing else is left', () => {
    expect(words(queryPieces('What did Nadia paint?', new Set(['nadia']), table))).toEqual(['paint']);
    expect(words(queryPieces('who was it', new Set(), table))).toEqual(['it', 'was', 'who']);
    expect(queryPieces('pottery '.repeat(1000), new Set(), table)).toHaveLength(32);
  });
});
