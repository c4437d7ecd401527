import { describe, expect, it } from 'vitest';
import { EarlierMemories, EarlierMemoriesCut, earlierMax } from './word-statistics.ts';

const earlierOf = (docs: readonly number[], cuts: unknown[]) =>
  new EarlierMemories({
    indexOf: () => ({ docsContaining: async (_kind, terms) => terms.map(() => [...docs]) }),
    onCut: (error) => cuts.push(error),
  });

describe('memories with the words of a name', () => {
  it('memories with the words of a name are the newest, and what is left out is reported', async () => {
    const cuts: unknown[] = [];
    const docs = Array.from({ length: earlierMax + 1 }, (_, i) => i + 1);
    const found = await earlierOf(docs, cuts).naming(1, 'Quillon');
    expect([found.length, found[0], found.at(-1)]).toEqual([earlierMax, earlierMax + 1, 2]);
    expect(cuts).toEqual([expect.any(EarlierMemoriesCut)]);
  });

  it('memories with the words of a name are all taken where they are few, and a name without words has none', async () => {
    const cuts: unknown[] = [];
    const earlier = earlierOf([3, 7], cuts);
    expect(await earlier.naming(1, 'Quillon')).toEqual([7, 3]);
    expect(await earlier.naming(1, '...')).toEqual([]);
    expect(cuts).toEqual([]);
  });
});
