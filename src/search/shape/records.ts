import { jsonBytesMax, type Memory } from '../../domain/memories/memory.ts';
import type { Page, PageRequest, Position } from '../../domain/shared/page.ts';
import { type Filled, fillPage } from '../../domain/shared/page-bytes.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import type { RetrievalDeps } from '../candidates.ts';

interface RowsOfPage {
  readonly rows: readonly number[];
  readonly count: number;
  readonly isMore: boolean;
  readonly request: PageRequest;
  readonly positionOf: (row: number) => Position;
}

/** The first memories of these rows that fit a page, in the same order; erased ones are missing. */
export function pageOfRecords(
  deps: RetrievalDeps,
  user: UserRef,
  index: UserIndex,
  rows: readonly number[],
): Promise<Filled<Memory>> {
  const docs = rows.map((row) => index.columns.docs[row]);
  return fillPage(docs, (some) => memoriesOf(deps, user, index, some), jsonBytesMax);
}

/** The page of these rows, which are in order, of a list of `count`; `isMore` if rows come after them. */
export async function pageOfRows(
  deps: RetrievalDeps,
  user: UserRef,
  index: UserIndex,
  { rows, count, isMore, request, positionOf }: RowsOfPage,
): Promise<Page<Memory>> {
  const { items, taken, isFull } = await pageOfRecords(deps, user, index, rows);
  const { limit, offset } = request;
  const last = isFull ? rows[taken - 1] : rows.at(-1);
  return {
    items,
    limit,
    offset,
    count,
    ...(isFull && { nextOffset: offset + taken }),
    ...((isFull || isMore) && last !== undefined && { next: positionOf(last) }),
  };
}

/** The versions with these docs, in the same order; undefined if erased. */
async function memoriesOf(
  { stores, indexes: { records } }: RetrievalDeps,
  user: UserRef,
  index: UserIndex,
  docs: readonly number[],
): Promise<(Memory | undefined)[]> {
  const { rev } = index;
  const found = docs.map((doc) => records.get(doc));
  if (!found.includes(undefined)) return found;
  const missing = docs.filter((_, i) => found[i] === undefined);
  for (const memory of await stores.forUser(user).memories.findByDocs(missing)) {
    found[docs.indexOf(memory.doc)] = memory;
    // A change during the read evicted this record before it was added: it must not be added now.
    if (index.rev === rev) records.add(memory.doc, memory);
  }
  return found;
}
