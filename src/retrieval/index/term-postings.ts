import type { IndexReader, Postings } from '../ports.ts';
import type { UserIndex } from './user-index.ts';

/** Entries of the lists held at most; a larger index holds as many as it has rows. */
const heldMin = 8000;
const bytesPerEntry = 9;

const entriesMax = (rows: number) => Math.max(heldMin, rows);

/** What the lists may take beside an index of so many rows. */
export function postingsBytesMax(rows: number): number {
  return entriesMax(rows) * bytesPerEntry;
}

/** The postings of terms asked for since the index last changed: what people search for, they search for again. */
export class TermPostings {
  readonly #lists = new Map<string, Postings>();
  #held = 0;

  find(term: string): Postings | undefined {
    return this.#lists.get(term);
  }

  add(term: string, postings: Postings, rows: number): void {
    const size = postings.docs.length + 1;
    if (size > entriesMax(rows)) return;
    if (this.#held + size > entriesMax(rows)) this.clear();
    this.#lists.set(term, postings);
    this.#held += size;
  }

  clear(): void {
    this.#lists.clear();
    this.#held = 0;
  }
}

type ReadLists = (terms: readonly string[]) => Promise<readonly Postings[]>;

/** Lists held under `mark` and the term, the others read and held, one entry a term, in order. */
async function listsOf(
  index: UserIndex,
  terms: readonly string[],
  { mark, read }: { readonly mark: string; readonly read: ReadLists },
): Promise<Postings[]> {
  const { postings, rev, size } = index;
  const found = new Map<string, Postings>();
  const missing: string[] = [];
  for (const term of terms) {
    const held = postings.find(mark + term);
    if (held) found.set(term, held);
    else missing.push(term);
  }
  const lists = missing.length === 0 ? [] : await read(missing);
  for (const [i, term] of missing.entries()) {
    found.set(term, lists[i]);
    // What was read for an index that changed meanwhile may lack what it has now.
    if (index.rev === rev) postings.add(mark + term, lists[i], size);
  }
  return terms.map((term) => found.get(term) ?? { docs: [], frequencies: new Uint8Array() });
}

/** Postings of memories, one entry a term, in order; at least as new as the index was when this was called. */
export function postingsOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<Postings[]> {
  const read = (missing: readonly string[]) => reader.postings('memory', missing);
  return listsOf(index, terms, { mark: '', read });
}

/** The same where nobody asks how often: each frequency is 1. */
export function holdersOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<Postings[]> {
  const read = async (missing: readonly string[]) =>
    (await reader.holders('memory', missing)).map((docs) => ({
      docs,
      frequencies: new Uint8Array(docs.length).fill(1),
    }));
  // No term holds a space.
  return listsOf(index, terms, { mark: ' ', read });
}
