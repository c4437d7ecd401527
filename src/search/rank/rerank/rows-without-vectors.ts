import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { areVectorsInStore } from '../../../search-index/segments/vector-loader.ts';
import type { Near } from '../../arms/near-in-spaces.ts';

const none: ReadonlySet<number> = new Set();

/** Of these rows those whose vectors are still to be made: nothing is known of how near they are. */
export async function rowsWithoutVectors(
  { cosines, isOfEncoder }: Near,
  rows: readonly number[],
  { index }: IndexView,
  reader: IndexReader,
): Promise<ReadonlySet<number>> {
  // A model that is not an encoder embeds inside the write, so that no row lacks its vectors; with two, one is such a model.
  if (!isOfEncoder || index.second) return none;
  const far = rows.filter((row) => !cosines.has(row));
  if (!areVectorsInStore(reader, index)) return new Set(far.filter((row) => !index.embedded.has(row)));
  if (far.length === 0) return none;
  const stored = await reader.vectorsOf(
    index.space,
    far.map((row) => index.columns.docs[row]),
  );
  const embedded = new Set(stored.map(({ doc }) => index.rowOf(doc)));
  return new Set(far.filter((row) => !embedded.has(row)));
}
