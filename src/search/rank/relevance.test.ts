import { describe, expect, it } from 'vitest';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import { leadOfNearest, namesUnknown } from './relevance.ts';

const floor = 0.2;

describe('what is said of a query for its relevance', () => {
  it('the nearest memory leads by its distance to the tenth, in whatever order they are found', () => {
    const cosines = [0.3, 0.9, 0.31, 0.8, 0.32, 0.7, 0.33, 0.6, 0.34, 0.5, 0.35, 0.4];
    expect(leadOfNearest(cosines, floor)).toBeCloseTo(0.9 - 0.32, 10);
    expect(leadOfNearest(cosines.toReversed(), floor)).toBeCloseTo(0.9 - 0.32, 10);
  });

  it('memories that are too far to be looked at are as far as the floor, and none leads where all are', () => {
    expect(leadOfNearest([0.5, 0.1], floor)).toBeCloseTo(0.3, 10);
    expect(leadOfNearest([0.1, 0.15], floor)).toBe(0);
    expect(leadOfNearest([], floor)).toBe(0);
  });

  it('a name within a question is unknown where no memory has it, a word or the first one is not', () => {
    const isUnknown = (query: string, known: readonly string[]) =>
      namesUnknown(
        query,
        analyzeQuery(query).map((term) => ({
          term,
          rows: Int32Array.from(known.flatMap((word) => analyzeQuery(word)).includes(term) ? [1] : []),
        })),
      );
    expect(isUnknown('What did Nino buy in Verona?', ['Nino'])).toBe(true);
    expect(isUnknown('What did Nino buy in Verona?', ['Nino', 'Verona'])).toBe(false);
    expect(isUnknown('Telescopes of Nino', ['Nino'])).toBe(false);
    expect(isUnknown('who is the godmother of Ängström', [])).toBe(true);
  });
});
