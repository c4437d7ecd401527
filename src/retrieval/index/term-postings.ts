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

/** Postings of memories, one entry a term, in order; at least as new as the index was when this was called. */
export async function postingsOf(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<Postings[]> {
  const { postings, rev, size } = index;
  const found = new Map<string, Postings>();
  const missing: string[] = [];
  for (const term of terms) {
    const held = postings.find(term);
    if (held) found.set(term, held);
    else missing.push(term);
  }
  const read = missing.length === 0 ? [] : await reader.postings('memory', missing);
  for (const [i, term] of missing.entries()) {
    found.set(term, read[i]);
    // What was read for an index that changed meanwhile may lack what it has now.
    if (index.rev === rev) postings.add(term, read[i], size);
  }
  return terms.map((term) => found.get(term) ?? { docs: [], frequencies: new Uint8Array() });
}
