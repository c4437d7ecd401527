/** A term's occurrences among the rows of an index, closed and trashed ones included. */
export interface RowPostings {
  /** In ascending order. */
  readonly rows: Int32Array;
  /** Frequency of the term in each of `rows`, 1 to 8. */
  readonly frequencies: Uint8Array;
}

/** Postings of all rows below `upTo`, and of none beyond. */
export interface CachedPostings extends RowPostings {
  readonly upTo: number;
}

const bytesPerEntry = 5;
const bytesPerList = 300;

function bytesOf({ rows }: RowPostings): number {
  return bytesPerList + rows.length * bytesPerEntry;
}

interface CachedList {
  readonly owner: TermPostings;
  readonly term: string;
  readonly postings: CachedPostings;
}

/** Cached postings of all indexes, with one bound; beyond it, the least recently used are dropped. */
export class PostingsCache {
  readonly #bytesMax: number;
  readonly #spare: () => number;
  /** In order of last use. */
  readonly #lists = new Set<CachedList>();
  #bytes = 0;

  /** @param spare bytes beyond `bytesMax` that are unused elsewhere and available now */
  constructor(bytesMax: number, spare: () => number = () => 0) {
    this.#bytesMax = bytesMax;
    this.#spare = spare;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Postings of one index. */
  ofIndex(): TermPostings {
    return new TermPostings(this);
  }

  use(cached: CachedList): void {
    this.#lists.delete(cached);
    this.#lists.add(cached);
  }

  /** @returns whether there is room */
  take(cached: CachedList): boolean {
    const bytes = bytesOf(cached.postings);
    if (bytes > this.#room) return false;
    this.#lists.add(cached);
    this.#bytes += bytes;
    this.fit();
    return true;
  }

  /** Drops the postings that no longer have room. */
  fit(): void {
    const room = this.#room;
    for (const cached of this.#lists) {
      if (this.#bytes <= room) return;
      cached.owner.drop(cached.term);
    }
  }

  release(cached: CachedList): void {
    if (this.#lists.delete(cached)) this.#bytes -= bytesOf(cached.postings);
  }

  get #room(): number {
    return this.#bytesMax + Math.max(0, this.#spare());
  }
}

/**
 * Postings of recently requested terms: people repeat their searches. A list stays valid when the index
 * grows, because docs only rise and the content of a version never changes; it lacks the new rows only.
 */
export class TermPostings {
  readonly #cache: PostingsCache;
  readonly #lists = new Map<string, CachedList>();

  constructor(cache: PostingsCache) {
    this.#cache = cache;
  }

  find(term: string): CachedPostings | undefined {
    const cached = this.#lists.get(term);
    if (cached) this.#cache.use(cached);
    return cached?.postings;
  }

  /** Replaces a shorter list. */
  add(term: string, postings: CachedPostings): void {
    const before = this.#lists.get(term);
    if (before && before.postings.upTo >= postings.upTo) return;
    this.drop(term);
    const cached = { owner: this, term, postings };
    if (this.#cache.take(cached)) this.#lists.set(term, cached);
  }

  drop(term: string): void {
    const cached = this.#lists.get(term);
    if (!cached) return;
    this.#lists.delete(term);
    this.#cache.release(cached);
  }

  clear(): void {
    for (const cached of this.#lists.values()) this.#cache.release(cached);
    this.#lists.clear();
  }
}
