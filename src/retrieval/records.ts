import type { Memory } from '../domain/memories/memory.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { RetrievalParts } from './candidates.ts';
import type { UserIndex } from './index/user-index.ts';

/** The memories of these rows, in the same order; one erased meanwhile is missing. */
export async function recordsOf(
  { stores, indexes: { records } }: RetrievalParts,
  user: UserRef,
  index: UserIndex,
  rows: readonly number[],
): Promise<Memory[]> {
  const docs = rows.map((row) => index.columns.docs[row]);
  const known = new Map<number, Memory>();
  for (const doc of docs) {
    const record = records.get(doc);
    if (record) known.set(doc, record);
  }
  const missing = docs.filter((doc) => !known.has(doc));
  if (missing.length > 0) {
    const { rev } = index;
    for (const memory of await stores.forUser(user).memories.findByDocs(missing)) {
      known.set(memory.doc, memory);
      // Changes that came into the index meanwhile were forgotten before this record is there to be forgotten.
      if (index.rev === rev) records.add(memory);
    }
  }
  return docs.flatMap((doc) => known.get(doc) ?? []);
}
