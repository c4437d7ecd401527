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

interface CachedList {
  readonly owner: TermPostings;
  readonly term: string;
  readonly postings: CachedPostings;
}

/** The postings cached for all indexes, in one bound: beyond it, those are dropped that were used longest ago. */
export class PostingsCache {
  readonly #bytesMax: number;
  readonly #spare: () => number;
  /** In order of the last use. */
  readonly #lists = new Set<CachedList>();
  #bytes = 0;

  /** @param spare what they may take beyond `bytesMax` as things stand, for nothing else uses it */
  constructor(bytesMax: number, spare: () => number = () => 0) {
    this.#bytesMax = bytesMax;
    this.#spare = spare;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Those of one index. */
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

  /** Drops what has no room any more. */
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
 * The postings of terms asked for before: what people search for, they search for again. A list stays when the index
 * grows, for docs only rise and what a version holds never changes; it lacks the new rows.
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

  /** Holds a list in place of a shorter one. */
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
