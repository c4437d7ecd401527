import { describe, expect, it } from 'vitest';
import { knownWordsOf } from './query-coverage.ts';

const nobody = () => false;
const pieces = ['anne', '##ke', 'donkey', 'name', 'stable'];
const lengths = [4, 2, 8, 1, 6];
const nearest = [1, 1, 0.5, 1, 0.8];
const query = { pieces, lengths, nearest };

describe('which words of a query its candidates know', () => {
  it('the two words that say most decide how well the rarest words are known', () => {
    expect(knownWordsOf(query, nobody).rarest).toBeCloseTo((0.5 + 0.8) / 2, 10);
  });

  it('a word is missing by how much it says and by how far it is from every word of the candidates', () => {
    expect(knownWordsOf(query, nobody).missing).toBeCloseTo(8 * 0.5, 10);
  });

  it('the pieces of a word count as one word, each by how much it says', () => {
    const known = knownWordsOf({ pieces: ['be', '##keeper'], lengths: [3, 1], nearest: [0.9, 0.1] }, nobody);
    expect(known.rarest).toBeCloseTo((3 * 0.9 + 0.1) / 4, 10);
    expect(known.missing).toBeCloseTo(3 * (1 - 0.7), 10);
  });

  it('the name of a speaker is no word, unless the query says nothing else', () => {
    const isAnneke = (word: string) => word === 'anneke';
    const others = { pieces: ['anne', '##ke', 'name'], lengths: [4, 2, 1], nearest: [1, 1, 0.25] };
    expect(knownWordsOf(others, isAnneke)).toEqual({ rarest: 0.25, missing: 0.75 });
    const alone = { pieces: ['anne', '##ke'], lengths: [4, 2], nearest: [1, 0.5] };
    expect(knownWordsOf(alone, isAnneke).rarest).toBeCloseTo(5 / 6, 10);
  });

  it('a query without words knows nothing and misses nothing', () => {
    expect(knownWordsOf({ pieces: [], lengths: [], nearest: [] }, nobody)).toEqual({ rarest: 0, missing: 0 });
  });
});
