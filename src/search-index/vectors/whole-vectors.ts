import {
  type Estimates,
  type InMemoryVectorIndex,
  NearestRows,
  type NearestTarget,
  type VectorsOfRows,
} from './nearest-rows.ts';
import { cosineOf, perLength, perLengthOf, toWholeQuery } from './quantize.ts';
import { int8Products, lanes } from './simd/int8-products.ts';

const firstVectors = 64;

/**
 * Vectors as stored, a byte for each number, in one block with 1/length of each: 268 bytes for 256 numbers.
 * A search compares all of them, which SIMD makes cheaper than skipping most by their codes (ADR 9).
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
    if (this.size === this.#rows.length) this.reserve(2 * this.size);
    this.#numbers.set(vector, this.size * this.#stride);
    this.#perLength[this.size] = perLength(vector);
    this.#rows[this.size++] = row;
  }

  addAll({ rows, numbers, squares }: VectorsOfRows): void {
    this.reserve(this.size + rows.length);
    const { dimension } = this;
    for (let from = 0, end = 0; from < rows.length; from = end + 1) {
      for (end = from; end < rows.length && rows[end] >= 0; end++) {
        this.#perLength[this.size + end - from] = perLengthOf(squares[end]);
        this.#rows[this.size + end - from] = rows[end];
      }
      this.#copy(numbers.subarray(from * dimension, end * dimension));
      this.size += end - from;
    }
  }

  /** Appends contiguous vectors. */
  #copy(numbers: Int8Array): void {
    const [stride, { dimension, size }] = [this.#stride, this];
    if (stride === dimension) this.#numbers.set(numbers, size * stride);
    else
      for (let at = 0, to = size * stride; at < numbers.length; at += dimension, to += stride)
        this.#numbers.set(numbers.subarray(at, at + dimension), to);
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

  /** Views or copies of all vectors, valid until the next `add`. */
  contents(): VectorsOfRows {
    const { dimension, size } = this;
    const stride = this.#stride;
    let numbers = this.#numbers.subarray(0, size * stride);
    if (stride !== dimension) {
      numbers = new Int8Array(size * dimension);
      for (let i = 0; i < size; i++)
        numbers.set(this.#numbers.subarray(i * stride, i * stride + dimension), i * dimension);
    }
    const rows = this.#rows.subarray(0, size);
    return { rows, numbers, squares: Int32Array.from(this.#perLength.subarray(0, size), squareOf) };
  }

  /**
   * Mean of the unit vectors. Its order of rounding is fixed: another one would give codes other estimates.
   */
  mean(): Float32Array {
    const { dimension, size } = this;
    const numbers = this.#numbers;
    const mean = new Float32Array(dimension);
    for (let i = 0, from = 0; i < size; i++, from += this.#stride) {
      const perLength = this.#perLength[i];
      for (let n = 0; n < dimension; n++) mean[n] += (numbers[from + n] * perLength) / size;
    }
    return mean;
  }

  reserve(count: number): void {
    if (count <= this.#rows.length) return;
    const numbers = new Int8Array(count * this.#stride);
    const perLengths = new Float64Array(count);
    const rows = new Int32Array(count);
    numbers.set(this.#numbers);
    perLengths.set(this.#perLength);
    rows.set(this.#rows);
    this.#numbers = numbers;
    this.#perLength = perLengths;
    this.#rows = rows;
  }
}

/** Inverse of `perLengthOf`, as a whole number. */
function squareOf(perLength: number): number {
  return perLength === 0 ? 0 : Math.round(1 / perLength ** 2);
}
