/** A term's occurrences among the rows of an index, closed and trashed ones included. */
export interface RowPostings {
  /** Rising. */
  readonly rows: Int32Array;
  /** How often the term stands in each of `rows`, 1 to 8. */
  readonly frequencies: Uint8Array;
}

/** Postings that are whole for the rows below `upTo`, and have none of those beyond. */
export interface CachedPostings extends RowPostings {
  readonly upTo: number;
}

const bytesPerEntry = 5;
const bytesPerList = 300;

function bytesOf({ rows }: RowPostings): number {
  return bytesPerList + rows.length * bytesPerEntry;
}

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
    const cached = this.#indexes.get(postings) ?? 0;
    this.#indexes.delete(postings);
    this.#indexes.set(postings, cached);
    for (const each of this.#indexes.keys()) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      each.clear();
    }
    this.#indexes.set(postings, (this.#indexes.get(postings) ?? 0) + bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Takes back a part of what was taken. */
  give(postings: TermPostings, bytes: number): void {
    this.#indexes.set(postings, (this.#indexes.get(postings) ?? 0) - bytes);
    this.#bytes -= bytes;
  }

  release(postings: TermPostings): void {
    this.#bytes -= this.#indexes.get(postings) ?? 0;
    this.#indexes.delete(postings);
  }
}

/**
 * The postings of terms asked for before: what people search for, they search for again. A list stays when the index
 * grows, for docs only rise and what a version holds never changes; it lacks the new rows.
 */
export class TermPostings {
  readonly #cache: PostingsCache;
  readonly #lists = new Map<string, CachedPostings>();

  constructor(cache: PostingsCache) {
    this.#cache = cache;
  }

  find(term: string): CachedPostings | undefined {
    return this.#lists.get(term);
  }

  /** Holds a list in place of a shorter one. */
  add(term: string, postings: CachedPostings): void {
    const before = this.#lists.get(term);
    if (before) {
      if (before.upTo >= postings.upTo) return;
      this.#lists.delete(term);
      this.#cache.give(this, bytesOf(before));
    }
    if (this.#cache.take(this, bytesOf(postings))) this.#lists.set(term, postings);
  }

  clear(): void {
    this.#lists.clear();
    this.#cache.release(this);
  }
}
