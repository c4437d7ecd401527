import { type Estimates, type InMemoryVectorIndex, NearestRows, type NearestTarget } from './nearest-rows.ts';
import { cosineOf, perLength, toWholeQuery } from './quantize.ts';
import { int8Products, lanes } from './simd/int8-products.ts';

const firstVectors = 64;

/**
 * The vectors as they are stored, a byte a number, in one block with 1/length of each: 268 bytes for 256 numbers. All
 * are compared, which by SIMD costs less than passing most over by their codes did (ADR 10).
 */
export class WholeVectors implements InMemoryVectorIndex {
  readonly isExact = true;
  readonly dimension: number;
  size = 0;
  /** Numbers from one vector to the next. */
  readonly #stride: number;
  #numbers: Int8Array;
  #perLength = new Float64Array(firstVectors);
  #rows = new Int32Array(firstVectors);

  constructor(dimension: number) {
    this.dimension = dimension;
    this.#stride = Math.ceil(dimension / lanes) * lanes;
    this.#numbers = new Int8Array(firstVectors * this.#stride);
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#perLength.byteLength + this.#rows.byteLength;
  }

  add(row: number, vector: Int8Array): void {
    if (this.size === this.#rows.length) this.#grow();
    this.#numbers.set(vector, this.size * this.#stride);
    this.#perLength[this.size] = perLength(vector);
    this.#rows[this.size++] = row;
  }

  nearest(query: Float32Array, target: NearestTarget): Estimates {
    const best = new NearestRows(target);
    const [stride, perLengths, rows] = [this.#stride, this.#perLength, this.#rows];
    const { numbers, scale } = toWholeQuery(query, stride);
    const block = int8Products.blockOf(stride);
    for (let from = 0; from < this.size; from += block) {
      const end = Math.min(from + block, this.size);
      const vectors = this.#numbers.subarray(from * stride, end * stride);
      const products = int8Products.multiply(numbers, vectors);
      for (let i = from; i < end; i++) {
        const cosine = cosineOf(products[i - from], perLengths[i], scale);
        if (cosine > best.least) best.add(rows[i], cosine);
      }
    }
    return best.estimates();
  }

  /** @param take is given a view that holds until the next `add` */
  each(take: (row: number, vector: Int8Array, perLength: number) => void): void {
    for (let i = 0; i < this.size; i++) {
      const from = i * this.#stride;
      take(this.#rows[i], this.#numbers.subarray(from, from + this.dimension), this.#perLength[i]);
    }
  }

  #grow(): void {
    const numbers = new Int8Array(this.#numbers.length * 2);
    const perLengths = new Float64Array(this.#perLength.length * 2);
    const rows = new Int32Array(this.#rows.length * 2);
    numbers.set(this.#numbers);
    perLengths.set(this.#perLength);
    rows.set(this.#rows);
    this.#numbers = numbers;
    this.#perLength = perLengths;
    this.#rows = rows;
  }
}
