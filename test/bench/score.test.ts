import { describe, expect, it } from 'vitest';
import {
  type RankedQuestion,
  recallAt,
  reciprocalRank,
  toScores,
  toScoresByCategory,
} from '../../bench/locomo/score.ts';

const filler = (count: number) => Array.from({ length: count }, (_, index) => `other-${index}`);

/** Evidence a at rank 3, b at rank 8, c nowhere. */
const spread: RankedQuestion = {
  category: 'multi-hop',
  evidence: ['a', 'b', 'c'],
  found: ['x', 'y', 'a', 'z', 'v', 'w', 'u', 'b'],
};
const first: RankedQuestion = { category: 'single-hop', evidence: ['a'], found: ['a', 'b'] };
const nothing: RankedQuestion = { category: 'single-hop', evidence: ['a'], found: [] };

describe('recall', () => {
  it('recall is the share of the evidence within the first k', () => {
    expect(recallAt(2, spread)).toBe(0);
    expect(recallAt(3, spread)).toBeCloseTo(1 / 3, 12);
    expect(recallAt(5, spread)).toBeCloseTo(1 / 3, 12);
    expect(recallAt(10, spread)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(1, first)).toBe(1);
    expect(recallAt(20, nothing)).toBe(0);
  });

  it('recall counts evidence that is named twice once', () => {
    expect(recallAt(5, { category: 'c', evidence: ['a', 'a', 'b'], found: ['a'] })).toBe(0.5);
  });

  it('recall takes rank 10 into recall@10 and rank 11 not', () => {
    const at = (rank: number) => ({ category: 'c', evidence: ['a'], found: [...filler(rank - 1), 'a'] });
    expect(recallAt(10, at(10))).toBe(1);
    expect(recallAt(10, at(11))).toBe(0);
  });
});

describe('reciprocal rank', () => {
  it('reciprocal rank is one over the rank of the first evidence', () => {
    expect(reciprocalRank(first)).toBe(1);
    expect(reciprocalRank(spread)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRank(nothing)).toBe(0);
  });

  it('reciprocal rank looks at the first 20 results only', () => {
    const at = (rank: number) => ({ category: 'c', evidence: ['a'], found: [...filler(rank - 1), 'a'] });
    expect(reciprocalRank(at(20))).toBe(0.05);
    expect(reciprocalRank(at(21))).toBe(0);
  });
});

describe('scores', () => {
  it('scores are means over questions', () => {
    const scores = toScores([spread, first, nothing]);
    expect(scores.questions).toBe(3);
    expect(scores.recall5).toBeCloseTo((1 / 3 + 1 + 0) / 3, 12);
    expect(scores.recall10).toBeCloseTo((2 / 3 + 1 + 0) / 3, 12);
    expect(scores.recall20).toBeCloseTo((2 / 3 + 1 + 0) / 3, 12);
    expect(scores.mrr).toBeCloseTo((1 / 3 + 1 + 0) / 3, 12);
  });

  it('scores weigh every question alike in the total, whatever its category', () => {
    const scores = toScoresByCategory([first, nothing, spread]);
    expect(Object.keys(scores)).toEqual(['multi-hop', 'single-hop', 'all']);
    expect(scores['single-hop']).toMatchObject({ questions: 2, recall10: 0.5, mrr: 0.5 });
    expect(scores['multi-hop']?.recall10).toBeCloseTo(2 / 3, 12);
    expect(scores.all?.recall10).toBeCloseTo((1 + 0 + 2 / 3) / 3, 12);
  });

  it('scores of no questions are zero', () => {
    expect(toScores([])).toEqual({ questions: 0, recall5: 0, recall10: 0, recall20: 0, mrr: 0 });
  });
});
