import { dot } from '../../domain/embedding/similarity.ts';
import type { RowTest } from '../index/row-filter.ts';
import { type Estimates, type HeldVectors, NearestRows } from './nearest-rows.ts';

const firstVectors = 64;

/**
 * The vectors as they are stored, a byte a number, in one block with 1/length of each: 264 bytes for 256 numbers. For
 * users with few: 4,000 are compared in half a millisecond, sooner than the store is asked for 400 of them.
 */
export class WholeVectors implements HeldVectors {
  readonly isExact = true;
  readonly dimension: number;
  size = 0;
  #numbers: Int8Array;
  #perLength = new Float32Array(firstVectors);
  #rows = new Int32Array(firstVectors);

  constructor(dimension: number) {
    this.dimension = dimension;
    this.#numbers = new Int8Array(firstVectors * dimension);
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#perLength.byteLength + this.#rows.byteLength;
  }

  add(row: number, vector: Int8Array): void {
    if (this.size === this.#rows.length) this.#grow();
    this.#numbers.set(vector, this.size * this.dimension);
    const square = dot(vector, vector);
    this.#perLength[this.size] = square === 0 ? 0 : 1 / Math.sqrt(square);
    this.#rows[this.size++] = row;
  }

  nearest(query: Float32Array, count: number, isSeen: RowTest, passes?: RowTest): Estimates {
    const best = new NearestRows(count, isSeen, passes);
    const [numbers, perLength, rows] = [this.#numbers, this.#perLength, this.#rows];
    for (let i = 0; i < this.size; i++) {
      const cosine = perLength[i] * product(query, numbers, i * query.length);
      if (cosine > best.least) best.add(rows[i], cosine);
    }
    return best.estimates();
  }

  /** @param take is given a view that holds until the next `add` */
  each(take: (row: number, vector: Int8Array, perLength: number) => void): void {
    for (let i = 0; i < this.size; i++) {
      const from = i * this.dimension;
      take(this.#rows[i], this.#numbers.subarray(from, from + this.dimension), this.#perLength[i]);
    }
  }

  #grow(): void {
    const numbers = new Int8Array(this.#numbers.length * 2);
    const perLength = new Float32Array(this.#perLength.length * 2);
    const rows = new Int32Array(this.#rows.length * 2);
    numbers.set(this.#numbers);
    perLength.set(this.#perLength);
    rows.set(this.#rows);
    this.#numbers = numbers;
    this.#perLength = perLength;
    this.#rows = rows;
  }
}

/** Four sums side by side: one alone waits for itself at every step. */
function product(query: Float32Array, numbers: Int8Array, from: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const dimension = query.length;
  const end = dimension - (dimension % 4);
  for (let i = 0, at = from; i < end; i += 4, at += 4) {
    a += query[i] * numbers[at];
    b += query[i + 1] * numbers[at + 1];
    c += query[i + 2] * numbers[at + 2];
    d += query[i + 3] * numbers[at + 3];
  }
  for (let i = end; i < dimension; i++) a += query[i] * numbers[from + i];
  return a + b + c + d;
}
