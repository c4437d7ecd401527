import type { RowTest } from '../row-test.ts';

/** How near rows are by what is held in the process, comparable within one query only; in no order. */
export type Estimates = Map<number, number>;

export interface NearestTarget {
  readonly count: number;
  readonly isSeen: RowTest;
  /** Lets nothing pass that is not seen. */
  readonly passes?: RowTest;
  /** Cosine below which a row is of no use: where estimates are exact, it is left out. */
  readonly atLeast?: number;
}

/** Vectors of rows, one after the other. */
export interface VectorsOfRows {
  /** The row of each; negative where it has none, whose vector is passed over. */
  readonly rows: Int32Array;
  /** Of all, one after the other. */
  readonly numbers: Int8Array;
  /** Of each the sum of the squares of its numbers. */
  readonly squares: Int32Array;
}

/** Vectors of a user's rows, held in the process. A row may have several, of parts of a long text. */
export interface InMemoryVectorIndex {
  /** Whether estimates are the cosines themselves. */
  readonly isExact: boolean;
  readonly size: number;
  readonly bytes: number;
  add(row: number, vector: Int8Array): void;
  addAll(vectors: VectorsOfRows): void;
  /** Makes room for so many in all at once. */
  reserve(count: number): void;
  /**
   * The `count` nearest vectors of rows that are seen and, where `passes` is given, the `count` nearest of rows that
   * pass, found in one go.
   * @param query a unit vector
   */
  nearest(query: Float32Array, target: NearestTarget): Estimates;
}

/** Collects the nearest of those that are seen and of those that pass, while vectors are looked at one by one. */
export class NearestRows {
  /** What an estimate must be above to belong. */
  least: number;
  readonly #isSeen: RowTest;
  readonly #passes: RowTest | undefined;
  readonly #seen: Nearest;
  /** Undefined as long as all that is seen passes: one list serves for both. */
  #passing: Nearest | undefined;

  constructor({ count, isSeen, passes, atLeast = Number.NEGATIVE_INFINITY }: NearestTarget) {
    this.#isSeen = isSeen;
    this.#passes = passes;
    // Cosines lie between -1 and 1: one that is as large as asked for is above this.
    this.least = atLeast - Number.EPSILON;
    this.#seen = new Nearest(count, this.least);
  }

  /** Whether a row may belong whose estimate is at most `most`, which is above `least`. */
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

/** The highest estimates, in a heap whose top is the lowest of them. */
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

  /** Of a row with several vectors the nearest counts. */
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

  /** From the top, whose entry goes. */
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
