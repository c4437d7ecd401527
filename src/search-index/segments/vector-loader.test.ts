import { expect, it } from 'vitest';
import { indexRow } from '../../../test/support/index-row.ts';
import type { IndexReader, IndexRow, VectorRow } from '../ports.ts';
import { UserIndex } from '../rows/user-index.ts';
import { loadVectors } from './vector-loader.ts';

const rowsOf = (from: number, to: number): IndexRow[] =>
  Array.from({ length: to - from }, (_, i) => indexRow(from + i));

/** Every version has one vector. */
const reader = {
  vectorsAfter: async (range, after, limit) => {
    const first = after.doc + 1;
    const count = Math.max(0, Math.min(limit, range.doc - after.doc));
    return Array.from(
      { length: count },
      (_, i): VectorRow => ({ doc: first + i, part: 0, lateRev: null, vector: Int8Array.of(1, 2, 3, 4) }),
    );
  },
  lateVectorsAfter: async () => [],
} as Pick<IndexReader, 'vectorsAfter' | 'lateVectorsAfter'> as IndexReader;

it('vectors are kept in the process, however many versions a user has', async () => {
  const index = new UserIndex({ epoch: 1, space: 1 });
  for (const [from, to] of [
    [1, 3001],
    [3001, 20_001],
    [20_001, 41_001],
  ] as const) {
    index.apply(rowsOf(from, to), to - 1);
    await loadVectors(reader, index);
    expect(index.vectors?.size).toBe(to - 1);
  }
});
