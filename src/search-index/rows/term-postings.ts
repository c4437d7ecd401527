import type { IndexReader, Postings } from '../ports.ts';
import type { CachedPostings, RowPostings } from '../postings/postings-cache.ts';
import type { UserIndex } from './user-index.ts';

const noPostings: CachedPostings = { rows: new Int32Array(), frequencies: new Uint8Array(), upTo: 0 };
/** Maximum reads of lists, if the index grows during the read. */
const triesMax = 3;

/** Reads the postings of each term in docs beyond the one given for it. */
type ReadLists = (terms: readonly string[], after: readonly number[]) => Promise<readonly Postings[]>;

interface ListSource {
  /** Prefix of terms in the cache. */
  readonly mark: string;
  /** Prefix of other cached lists that serve as well. */
  readonly otherMark?: string;
  readonly read: ReadLists;
}

/**
 * Lists of all rows of the index, one entry for each term,
 * in order: from the cache, completed by rows added since.
 */
async function listsOf(
  index: UserIndex,
  terms: readonly string[],
  source: ListSource,
): Promise<readonly RowPostings[]> {
  for (let tries = 1; ; tries++) {
    const { size } = index;
    const lists = await listsUpTo(size, index, terms, source);
    if (index.size === size || tries === triesMax) return lists;
  }
}

/** @param size of the index at the time of the call: lists may lack rows added later */
async function listsUpTo(
  size: number,
  index: UserIndex,
  terms: readonly string[],
  { mark, otherMark, read }: ListSource,
): Promise<readonly RowPostings[]> {
  const lists = terms.map((term) => {
    const other = otherMark === undefined ? undefined : index.postings.find(otherMark + term);
    return longer(other, index.postings.find(mark + term)) ?? noPostings;
  });
  const complete = async (which: readonly number[]) => {
    if (which.length === 0) return;
    const found = await read(
      which.map((i) => terms[i]),
      which.map((i) => lastDoc(index, lists[i])),
    );
    for (const [n, i] of which.entries()) {
      lists[i] = extended(lists[i], index, size, found[n]);
      index.postings.add(mark + terms[i], lists[i]);
    }
  };
  const places = [...terms.keys()];
  // In two reads, because a database plans a read of a few new docs differently from a read of all.
  await Promise.all([
    complete(places.filter((i) => lists[i].upTo === 0)),
    complete(places.filter((i) => lists[i].upTo > 0 && lists[i].upTo < size)),
  ]);
  return lists;
}

function longer(a: CachedPostings | undefined, b: CachedPostings | undefined): CachedPostings | undefined {
  return a && (!b || a.upTo >= b.upTo) ? a : b;
}

/** The last doc that a list covers; docs begin at 1. */
function lastDoc({ columns }: UserIndex, { upTo }: CachedPostings): number {
  return upTo === 0 ? 0 : columns.docs[upTo - 1];
}

/**
 * The list with the matches among the rows beyond it, up to `size`. Both rise, so that one
 * pass along the docs of the index finds them; docs that are not in the index are left out.
 */
function extended(
  cached: CachedPostings,
  { columns }: UserIndex,
  size: number,
  { docs, frequencies }: Postings,
): CachedPostings {
  const known = columns.docs;
  const before = cached.rows.length;
  const rows = new Int32Array(before + docs.length);
  const kept = new Uint8Array(before + docs.length);
  let count = before;
  let row = cached.upTo;
  for (let i = 0; i < docs.length; i++) {
    row = advance(known, row, size, docs[i]);
    if (row >= size) break;
    if (known[row] !== docs[i]) continue;
    rows[count] = row;
    kept[count++] = frequencies[i];
  }
  if (count === before) return { ...cached, upTo: size };
  rows.set(cached.rows);
  kept.set(cached.frequencies);
  if (count === rows.length) return { rows, frequencies: kept, upTo: size };
  return { rows: rows.slice(0, count), frequencies: kept.slice(0, count), upTo: size };
}

/**
 * First row from `from` on with a doc of at least `doc`, by galloping: doubling steps, then a binary search.
 */
function advance(docs: Float64Array, from: number, size: number, doc: number): number {
  if (from >= size || docs[from] >= doc) return from;
  let step = 1;
  while (from + step < size && docs[from + step] < doc) step *= 2;
  let low = from + (step >> 1);
  let high = Math.min(from + step, size);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Postings of memories, one entry for each term, in order; at least as new as the index was at the call. */
export function postingsOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<readonly RowPostings[]> {
  const read: ReadLists = (requested, after) => reader.postings('memory', requested, after);
  return listsOf(index, terms, { mark: '', read });
}

/** Like `postingsOf`, without frequencies: those returned are lower bounds. */
export function rowsContaining(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<readonly RowPostings[]> {
  const read: ReadLists = async (requested, after) =>
    (await reader.docsContaining('memory', requested, after)).map((docs) => ({
      docs,
      frequencies: new Uint8Array(docs.length).fill(1),
    }));
  // No term contains a space.
  return listsOf(index, terms, { mark: ' ', otherMark: '', read });
}
