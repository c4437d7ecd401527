import { expect, it } from 'vitest';
import { indexRow } from '../../../../test/support/index-row.ts';
import { type Random, randomFrom } from '../../../../test/support/random.ts';
import { documentTraits } from '../../../search-index/ports.ts';
import { viewOf } from '../../../search-index/rows/index-view.ts';
import { UserIndex } from '../../../search-index/rows/user-index.ts';
import type { FoundSignal, Signal } from '../../arms/signal.ts';
import { bestRows } from '../../scores/order.ts';
import { type FusionInput, fuse } from './fuse.ts';
import { shippedWeights } from './weights.ts';

const rowsCount = 6000;
const comparedCount = 1000;

function newIndex(random: Random): UserIndex {
  const index = new UserIndex({ epoch: 1, space: 0 });
  const rows = Array.from({ length: rowsCount }, (_, i) =>
    indexRow(i + 1, {
      conversationId: `c${random.int(0, 200)}`,
      traits: random.pick([0, documentTraits.question, documentTraits.question | documentTraits.short]),
      eventTime: random.int(0, 500),
      trashed: random.chance(0.05) ? 1 : 0,
    }),
  );
  index.apply(rows, 1);
  return index;
}

function foundSignal(name: string, index: UserIndex, random: Random, share: number): FoundSignal {
  const scores = new Float64Array(index.size + 1);
  const rows: number[] = [];
  for (let row = 0; row < index.size; row++)
    if (index.isLive(row) && random.chance(share)) {
      scores[row] = random.float() ** 2;
      rows.push(row);
    }
  const conversations = Float64Array.from({ length: index.conversations.size }, () => random.float());
  const parts = Object.keys(shippedWeights.hybrid[name as 'words']);
  return {
    spec: { name, group: name, via: name, parts: Object.fromEntries(parts.map((part) => [part, part])) },
    rows: Int32Array.from(rows),
    scores,
    bringsNeighbours: name === 'words',
    scale: () => ({ perWeight: 1, perScore: 1 / 3, best: 0.7, unit: 1 }),
    conversationScores: () => conversations,
    measureOf: (row) => scores[row],
    explain: () => [],
  };
}

const rated = (name: string, random: Random): Signal => {
  const values = Float64Array.from({ length: rowsCount }, () => random.int(0, 1));
  return {
    spec: { name, group: name, parts: { self: name } },
    rate: (rows, count, out) => {
      for (let i = 0; i < count; i++) out[i] = values[rows[i]];
    },
  };
};

it('the best rows have the scores, to the last digit, that they have where all rows are scored in full', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = randomFrom(seed);
    const index = newIndex(random);
    const share = random.pick([0.02, 0.2, 0.6]);
    const signals: Signal[] = [
      foundSignal('words', index, random, share),
      foundSignal('synonyms', index, random, random.pick([0.01, 0.5])),
      foundSignal('semantic', index, random, 0.05),
      rated('speaker', random),
      rated('shortQuestion', random),
    ];
    const input: FusionInput = {
      plan: {
        context: random.chance(0.8),
        matchesAll: random.chance(0.2),
        factors: {},
        sortBy: 'relevance',
        order: 'desc',
        temporalMode: 'current',
        offset: 0,
        limit: 20,
      },
      view: viewOf(index, undefined),
      passes: (row) => index.isLive(row) && row % 7 !== 3,
      asked: signals.map(({ spec }) => spec),
      signals,
      weights: shippedWeights.hybrid,
    };
    const best = fuse(input);
    const all = fuse({ ...input, plan: { ...input.plan, sortBy: 'createdAt' } });
    const rows = bestRows(all.rows, comparedCount, index, all.scores);
    expect(bestRows(best.rows, comparedCount, index, best.scores)).toEqual(rows);
    expect(rows.map((row) => best.scores[row])).toEqual(rows.map((row) => all.scores[row]));
    for (const row of Array.from(all.rows)) expect(best.scores[row]).toBeCloseTo(all.scores[row], 9);
  }
});
