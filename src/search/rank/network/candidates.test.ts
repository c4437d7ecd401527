import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexRow } from '../../../../test/support/index-row.ts';
import { viewOf } from '../../../search-index/rows/index-view.ts';
import { UserIndex } from '../../../search-index/rows/user-index.ts';
import { candidateCounts, chooseCandidates, nearnessOf, rowsRead } from './candidates.ts';

const size = 120;
const index = new UserIndex({ epoch: 0, space: 1 });
index.apply(
  Array.from({ length: size }, (_, i) => indexRow(i + 1, { rev: i + 1, conversationId: `conv_${i % 3}` })),
  size,
);
const view = viewOf(index, undefined);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const columns = fc.tuple(
  fc.array(share, { minLength: size, maxLength: size }),
  fc.array(share, { minLength: size, maxLength: size }),
  fc.boolean(),
);

const query = { relatedCosine: 0.3, vector: new Float32Array(), space: 1 };

describe('the candidates of a search', () => {
  it('candidates are the best by the sum and the nearest by vectors, each once, and no other match has a higher sum than is said', () => {
    fc.assert(
      fc.property(columns, ([sums, cosines, isOfEncoder]) => {
        const near = { ...query, cosines: new Map(cosines.entries()), isOfEncoder };
        const nearness = nearnessOf(
          near,
          view,
          () => true,
          () => true,
        );
        const scores = Float64Array.from(sums);
        const rows = Int32Array.from(sums.keys());
        const { candidates, restMost, best } = chooseCandidates({ rows, scores }, view, nearness);
        const chosen = new Set(candidates.map(({ row }) => row));
        expect(chosen.size).toBe(candidates.length);
        expect(chosen.size).toBeGreaterThanOrEqual(candidateCounts.bySum);
        const more = isOfEncoder ? candidateCounts.byEncoder : candidateCounts.byStaticVectors;
        expect(chosen.size).toBeLessThanOrEqual(candidateCounts.bySum + more);
        expect(best).toBe(Math.max(...sums));
        for (const row of rows) if (!chosen.has(row)) expect(scores[row]).toBeLessThanOrEqual(restMost);
      }),
      { numRuns: 40 },
    );
  });

  it('a candidate knows what is around it in its conversation, and texts of both are read', () => {
    const nearness = nearnessOf(
      { ...query, cosines: new Map(), isOfEncoder: false },
      view,
      () => true,
      () => true,
    );
    const scores = new Float64Array(size);
    const { candidates, restMost } = chooseCandidates(
      { rows: Int32Array.of(3, 9, 117), scores },
      view,
      nearness,
    );
    expect(restMost).toBe(0);
    expect(candidates.toSorted((a, b) => a.row - b.row)).toEqual([
      { row: 3, before: 0, after: 6, twoBefore: -1, twoAfter: 9, place: 1 },
      { row: 9, before: 6, after: 12, twoBefore: 3, twoAfter: 15, place: 3 },
      { row: 117, before: 114, after: -1, twoBefore: 111, twoAfter: -1, place: 5 },
    ]);
    expect(rowsRead(candidates).toSorted((a, b) => a - b)).toEqual([0, 3, 6, 9, 12, 114, 117]);
  });
});
