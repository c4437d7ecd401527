import type { RowTest } from '../../search-index/columns/row-test.ts';
import type { IndexReader, VectorRow } from '../../search-index/ports.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';

/**
 * Maximum versions named in a request to the store; if more
 * pass, surplus vectors are requested and filtered here.
 */
const namedMax = 20_000;
/** Factor of vectors requested, because rows that pass are not evenly spread. */
const surplus = 1.3;
const surplusGrowth = 4;

export type NearestInStore = Required<IndexReader>['nearest'];

/**
 * The stored vectors of the nearest rows that pass: at
 * least `count` rows, if so many pass, and perhaps others.
 */
export async function nearestInStore(
  nearest: NearestInStore,
  vector: Float32Array,
  {
    index,
    space,
    passes,
    count,
  }: {
    readonly index: UserIndex;
    readonly space: number;
    readonly passes: RowTest;
    readonly count: number;
  },
): Promise<VectorRow[]> {
  const { size, columns } = index;
  const passing: number[] = [];
  for (let row = 0; row < size; row++) if (passes(row)) passing.push(row);
  const requested = Math.min(count, passing.length);
  if (requested === 0) return [];
  const request = { space, vector, size };
  if (passing.length <= namedMax && passing.length < size)
    return nearest({ ...request, count, docs: passing.map((row) => columns.docs[row]) });
  for (let share = surplus; ; share *= surplusGrowth) {
    const asked = Math.ceil((requested * share * size) / passing.length);
    const found = await nearest({ ...request, count: asked });
    const rows = new Set(found.map(({ doc }) => index.rowOf(doc)).filter((row) => row >= 0 && passes(row)));
    // The store has no more vectors: some versions have none.
    if (rows.size >= requested || found.length < asked) return found;
  }
}
