import type { RowTest } from '../../search-index/columns/row-set.ts';
import type { IndexReader, VectorRow } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import type { SpaceVectors, UserIndex } from '../../search-index/rows/user-index.ts';
import { cosine, toWholeQuery } from '../../search-index/vectors/quantize.ts';

/** Rows rescored from stored vectors: the nearest 400 codes contain 99 % of the exact first 20 of 20,000. */
const rescoredMin = 400;
const rescoredMax = 2000;

/** Cosines of memories to a query, by row, without rows that were too far to be compared. */
export type CosineByRow = ReadonlyMap<number, number>;

export interface NearestInput {
  readonly reader: IndexReader;
  readonly view: IndexView;
  /** The space to search; absent: the main one. */
  readonly of?: SpaceVectors;
  readonly passes: RowTest;
  /** Whether `passes` tests more than visibility. */
  readonly isFiltered: boolean;
  /** Results up to the end of the requested page. */
  readonly requested: number;
  /** Cosine below which a row is useless and may be left out; absent: every row is useful. */
  readonly atLeast?: number;
}

/**
 * Cosines of the nearest visible rows to a unit vector, and of the nearest rows that pass the filter:
 * a filter that keeps 10 of 100,000 finds those 10. A row with several vectors counts by its nearest.
 */
export async function nearestCosines(vector: Float32Array, input: NearestInput): Promise<CosineByRow> {
  const { reader, view, passes, isFiltered, requested, atLeast } = input;
  const { index } = view;
  if (index.vectorsRev < 0) throw new Error('Vectors are compared of an index that was read without them.');
  const { space, vectors } = input.of ?? index;
  if (space === 0 || vector.every((number) => number === 0)) return new Map();
  const count = Math.min(rescoredMax, Math.max(rescoredMin, 2 * requested));
  const isVisible = (row: number) => view.isVisible(row);
  if (!vectors) return new Map();
  const near = vectors.nearest(vector, {
    count,
    isSeen: isVisible,
    passes: isFiltered ? passes : undefined,
    atLeast,
  });
  if (vectors.isExact) return near;
  const docs = Array.from(near.keys(), (row) => index.columns.docs[row]);
  return cosinesOf(index, vector, await reader.vectorsOf(space, docs));
}

/** Cosine of the nearest stored vector, by row. */
export function cosinesOf(index: UserIndex, vector: Float32Array, stored: readonly VectorRow[]): CosineByRow {
  const query = toWholeQuery(vector);
  const cosines = new Map<number, number>();
  for (const { doc, vector: own } of stored) {
    const row = index.rowOf(doc);
    if (row >= 0) cosines.set(row, Math.max(cosines.get(row) ?? -1, cosine(query, own)));
  }
  return cosines;
}
