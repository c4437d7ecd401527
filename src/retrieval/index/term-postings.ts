import type { IndexReader, Postings } from '../ports.ts';
import type { UserIndex } from './user-index.ts';

/** A term's occurrences among the rows of an index, closed and trashed ones included. */
export interface RowPostings {
  /** Rising. */
  readonly rows: Int32Array;
  /** How often the term stands in each of `rows`, 1 to 8. */
  readonly frequencies: Uint8Array;
}

const bytesPerEntry = 5;
const bytesPerList = 300;

/** The postings held for all indexes, in one bound: beyond it, those of the index are dropped that was added to longest ago. */
export class PostingsCache {
  readonly #bytesMax: number;
  /** In order of the last addition. */
  readonly #indexes = new Map<TermPostings, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Those of one index. */
  ofIndex(): TermPostings {
    return new TermPostings(this);
  }

  /** @returns whether there is room */
  take(postings: TermPostings, bytes: number): boolean {
    if (bytes > this.#bytesMax) return false;
    const held = this.#indexes.get(postings) ?? 0;
    this.#indexes.delete(postings);
    this.#indexes.set(postings, held);
    for (const each of this.#indexes.keys()) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      each.clear();
    }
    this.#indexes.set(postings, (this.#indexes.get(postings) ?? 0) + bytes);
    this.#bytes += bytes;
    return true;
  }

  release(postings: TermPostings): void {
    this.#bytes -= this.#indexes.get(postings) ?? 0;
    this.#indexes.delete(postings);
  }
}

/** The postings of terms asked for since the index last changed: what people search for, they search for again. */
export class TermPostings {
  readonly #cache: PostingsCache;
  readonly #lists = new Map<string, RowPostings>();

  constructor(cache: PostingsCache) {
    this.#cache = cache;
  }

  find(term: string): RowPostings | undefined {
    return this.#lists.get(term);
  }

  add(term: string, postings: RowPostings): void {
    const isNew = !this.#lists.has(term);
    if (isNew && this.#cache.take(this, bytesPerList + postings.rows.length * bytesPerEntry))
      this.#lists.set(term, postings);
  }

  clear(): void {
    this.#lists.clear();
    this.#cache.release(this);
  }
}

const noPostings: RowPostings = { rows: new Int32Array(), frequencies: new Uint8Array() };

type ReadLists = (terms: readonly string[]) => Promise<readonly Postings[]>;

/** Lists held under `mark` and the term, the others read and held, one entry a term, in order. */
async function listsOf(
  index: UserIndex,
  terms: readonly string[],
  { mark, read }: { readonly mark: string; readonly read: ReadLists },
): Promise<RowPostings[]> {
  const { postings, rev } = index;
  const found = new Map<string, RowPostings>();
  const missing: string[] = [];
  for (const term of terms) {
    const held = postings.find(mark + term);
    if (held) found.set(term, held);
    else missing.push(term);
  }
  const lists = missing.length === 0 ? [] : await read(missing);
  for (const [i, term] of missing.entries()) {
    const list = rowsOf(index, lists[i]);
    found.set(term, list);
    // What was read for an index that changed meanwhile may lack what it has now.
    if (index.rev === rev) postings.add(mark + term, list);
  }
  return terms.map((term) => found.get(term) ?? noPostings);
}

/** Both lists rise, so one walk along the docs of the index finds them; docs that it does not have yet are left out. */
function rowsOf({ columns, size }: UserIndex, { docs, frequencies }: Postings): RowPostings {
  const known = columns.docs;
  const rows = new Int32Array(docs.length);
  const kept = new Uint8Array(docs.length);
  let count = 0;
  let row = 0;
  for (let i = 0; i < docs.length; i++) {
    row = advance(known, row, size, docs[i]);
    if (row >= size) break;
    if (known[row] !== docs[i]) continue;
    rows[count] = row;
    kept[count++] = frequencies[i];
  }
  if (count === docs.length) return { rows, frequencies: kept };
  return { rows: rows.slice(0, count), frequencies: kept.slice(0, count) };
}

/** First row from `from` whose doc is `doc` or more, by galloping: steps double, then a binary search. */
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

/** Postings of memories, one entry a term, in order; at least as new as the index was when this was called. */
export function postingsOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<RowPostings[]> {
  const read = (missing: readonly string[]) => reader.postings('memory', missing);
  return listsOf(index, terms, { mark: '', read });
}

/** The same where nobody asks how often: each frequency is 1. */
export function holdersOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<RowPostings[]> {
  const read = async (missing: readonly string[]) =>
    (await reader.holders('memory', missing)).map((docs) => ({
      docs,
      frequencies: new Uint8Array(docs.length).fill(1),
    }));
  // No term holds a space.
  return listsOf(index, terms, { mark: ' ', read });
}
