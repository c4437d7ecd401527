import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conversationMatch,
  fuseRecords,
  isConversationMatch,
  similarityMin,
  wordsAndSimilarity,
} from './words-and-similarity.ts';

const share = () => fc.double({ min: 0, max: 1, noNaN: true });
const record = (doc: number) => ({ id: `r${doc}`, doc });
const worded = (doc: number, score: number) => ({ ...record(doc), termCount: 3, score });
const near = (doc: number, similarity: number) => ({ ...record(doc), similarity });

describe('words and meaning of a short text', () => {
  it('words and vectors of a short text give a score from 0 to 1 that neither lowers', () => {
    fc.assert(
      fc.property(share(), share(), share(), (words, similarity, less) => {
        const score = wordsAndSimilarity(words, similarity);
        expect(score).toBeGreaterThanOrEqual(words);
        expect(score).toBeLessThanOrEqual(1);
        expect(wordsAndSimilarity(words * less, similarity)).toBeLessThanOrEqual(score);
        expect(wordsAndSimilarity(words, similarity * less)).toBeLessThanOrEqual(score);
      }),
    );
  });

  it('words and vectors of a short text are all that was asked for, or at most half by vectors alone', () => {
    expect([wordsAndSimilarity(1, 0), wordsAndSimilarity(1, 1), wordsAndSimilarity(0, 1)]).toEqual([
      1, 1, 0.5,
    ]);
  });

  it('words and vectors of a short text find each record once, best first, the newest first where they are equal', () => {
    const words = { documents: [worded(1, 2), worded(2, 2), worded(3, 1)], whole: 4 };
    const found = fuseRecords(words, [near(3, 0.4), near(4, 0.9), near(5, similarityMin), near(6, 0.49)]);
    expect(found.map(({ doc }) => doc)).toEqual([2, 1, 4, 3, 5]);
    expect(found.map(({ score }) => score)).toEqual([0.5, 0.5, 0.45, expect.closeTo(0.4), 0.25]);
  });

  it('words and vectors of a short text measure words by the best record where that contains more than was asked for', () => {
    const found = fuseRecords({ documents: [worded(1, 6), worded(2, 3)], whole: 4 }, []);
    expect(found.map(({ score }) => score)).toEqual([1, 0.5]);
  });
});

describe('what speaks for a conversation', () => {
  const nothing = { words: 0, best: 0, secondBest: 0, synonyms: 0, similarity: 0 };

  it('a conversation is found by a word, a synonym or a similarity that reaches the threshold', () => {
    expect(isConversationMatch(nothing)).toBe(false);
    expect(isConversationMatch({ ...nothing, similarity: 0.49 })).toBe(false);
    for (const some of [{ best: 0.1 }, { synonyms: 0.1 }, { similarity: similarityMin }])
      expect(isConversationMatch({ ...nothing, ...some })).toBe(true);
  });

  it('each match in a conversation raises its score, and what all texts share does not', () => {
    expect(conversationMatch({ ...nothing, similarity: 1 / 3 })).toBe(0);
    for (const some of [{ words: 1 }, { best: 1 }, { secondBest: 1 }, { synonyms: 1 }, { similarity: 1 }])
      expect(conversationMatch({ ...nothing, ...some })).toBeGreaterThan(0);
  });
});
