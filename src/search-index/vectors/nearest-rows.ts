import type { RowTest } from '../columns/row-set.ts';

/** Estimated nearness by row, from data in the process, unordered. Comparable within one query only. */
export type Estimates = Map<number, number>;

export interface NearestTarget {
  readonly count: number;
  readonly isSeen: RowTest;
  /** Passes visible rows only. */
  readonly passes?: RowTest;
  /** Minimum useful cosine. An index with exact estimates leaves out rows below it. */
  readonly atLeast?: number;
}

/** Vectors of rows, one after the other. */
export interface VectorsOfRows {
  /** The row of each vector; negative if it has none, and the vector is skipped. */
  readonly rows: Int32Array;
  /** Numbers of all vectors, one after the other. */
  readonly numbers: Int8Array;
  /** Sum of squares of each vector. */
  readonly squares: Int32Array;
}

/** Vectors of a user's rows, in the process. A long text has several, one for each part. */
export interface InMemoryVectorIndex {
  /** Whether estimates are the cosines themselves. */
  readonly isExact: boolean;
  readonly size: number;
  readonly bytes: number;
  add(row: number, vector: Int8Array): void;
  addAll(vectors: VectorsOfRows): void;
  /** Makes room for `count` vectors in all. */
  reserve(count: number): void;
  /**
   * The `count` nearest vectors of visible rows and, if `passes` is
   * given, the `count` nearest of rows that pass it, in one pass.
   * @param query a unit vector
   */
  nearest(query: Float32Array, target: NearestTarget): Estimates;
}

/** Collects the nearest visible rows and the nearest rows that pass, from vectors compared one by one. */
export class NearestRows {
  /** Estimates must exceed this to be added. */
  least: number;
  readonly #isSeen: RowTest;
  readonly #passes: RowTest | undefined;
  readonly #seen: Nearest;
  /** Undefined while all visible rows pass: one list then serves for both. */
  #passing: Nearest | undefined;

  constructor({ count, isSeen, passes, atLeast = Number.NEGATIVE_INFINITY }: NearestTarget) {
    this.#isSeen = isSeen;
    this.#passes = passes;
    // Cosines are between -1 and 1, so that a cosine equal to `atLeast` is above this.
    this.least = atLeast - Number.EPSILON;
    this.#seen = new Nearest(count, this.least);
  }

  /** Whether a row with an estimate of at most `most` may be added. `most` is above `least`. */
  mayBelong(row: number, most: number): boolean {
    return most > this.#seen.least || this.#passing === undefined || this.#passes?.(row) === true;
  }

  add(row: number, estimate: number): void {
    const passes = this.#passes;
    if (this.#passing === undefined) {
      if (!this.#isSeen(row)) return;
      if (passes && !passes(row)) this.#passing = this.#seen.copy();
      this.#seen.add(row, estimate);
    } else {
      if (estimate > this.#seen.least && this.#isSeen(row)) this.#seen.add(row, estimate);
      if (estimate > this.#passing.least && passes?.(row)) this.#passing.add(row, estimate);
    }
    this.least = Math.min(this.#seen.least, this.#passing?.least ?? Number.POSITIVE_INFINITY);
  }

  estimates(): Estimates {
    const best: Estimates = new Map();
    this.#seen.putInto(best);
    this.#passing?.putInto(best);
    return best;
  }
}

/** The highest estimates, in a heap with the lowest of them on top. */
class Nearest {
  least: number;
  readonly #rows: Int32Array;
  readonly #estimates: Float64Array;
  #size = 0;

  constructor(count: number, least: number) {
    this.least = least;
    this.#rows = new Int32Array(count);
    this.#estimates = new Float64Array(count);
  }

  copy(): Nearest {
    const copy = new Nearest(this.#rows.length, this.least);
    copy.#rows.set(this.#rows);
    copy.#estimates.set(this.#estimates);
    copy.#size = this.#size;
    return copy;
  }

  /** @param estimate above `least` */
  add(row: number, estimate: number): void {
    if (this.#size < this.#rows.length) this.#rise(this.#size++, row, estimate);
    else this.#sink(row, estimate);
    if (this.#size === this.#rows.length) this.least = this.#estimates[0];
  }

  /** A row with several vectors gets its highest estimate. */
  putInto(best: Estimates): void {
    for (let i = 0; i < this.#size; i++) {
      const known = best.get(this.#rows[i]);
      if (known === undefined || known < this.#estimates[i]) best.set(this.#rows[i], this.#estimates[i]);
    }
  }

  #rise(from: number, row: number, estimate: number): void {
    let i = from;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#estimates[parent] <= estimate) break;
      this.#put(i, this.#rows[parent], this.#estimates[parent]);
      i = parent;
    }
    this.#put(i, row, estimate);
  }

  /** Replaces the top. */
  #sink(row: number, estimate: number): void {
    const estimates = this.#estimates;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && estimates[child + 1] < estimates[child]) child++;
      if (estimates[child] >= estimate) break;
      this.#put(i, this.#rows[child], estimates[child]);
      i = child;
    }
    this.#put(i, row, estimate);
  }

  #put(i: number, row: number, estimate: number): void {
    this.#rows[i] = row;
    this.#estimates[i] = estimate;
  }
}
