import { dot } from '../../domain/embedding/similarity.ts';
import { byteTables, numbersPerWord, type Tables } from './byte-tables.ts';
import { boundsOf, GroupedBits, type SumBounds } from './grouped-bits.ts';
import {
  type Estimates,
  type InMemoryVectorIndex,
  NearestRows,
  type NearestTarget,
  type VectorsOfRows,
} from './nearest-rows.ts';
import { cosineOf, perLength, perLengthOf, toWholeQuery } from './quantize.ts';
import { int8Products, lanes } from './simd/int8-products.ts';
import { codeMaker } from './simd/make-codes.ts';
import { type NibbleSums, nibbleSums, vectorsMax } from './simd/nibble-sums.ts';

const firstVectors = 64;

/**
 * A vector is skipped, after half of its first bits and after all of them, if it can be
 * among the nearest only if the remaining bits add more than this many standard deviations.
 * Recall of the exact first 20 of 100,000 falls by .0005; with 2.5 for both by .007.
 */
const deviationsAfterHalf = 3;
const deviationsAfterFirst = 3;

/**
 * Two bits for each number of a vector, in the process: 72 bytes for 256 numbers. They encode
 * the difference of the vector from a common centre: the sign of each number, and whether its
 * size exceeds the mean. One factor makes estimates of different vectors comparable, as in
 * RaBitQ (https://arxiv.org/abs/2405.12497). The query keeps full numbers and is compared by
 * a table for each byte. The nearest 400 contain 99 % of the exact first 20 of 20,000 texts;
 * with one bit 85 to 90 %, because texts of one user share a direction (ADR 9).
 * The two bits of a number, each read as 1 or -1, represent 2 * first + second: -3, -1, 1 or 3
 * times the mean. First and second bits are stored apart. SIMD skips nearly all vectors by an
 * upper bound of their estimate; without SIMD, most are skipped after some of their first bits.
 */
export class VectorCodes implements InMemoryVectorIndex {
  readonly isExact = false;
  /** Words of 32 bits in one bit for each number. */
  readonly #words: number;
  readonly #centre: Float32Array;
  /** Buffer for the difference from the centre while a code is made. */
  readonly #rest: Float64Array;
  #factors = new Float32Array(firstVectors);
  readonly #firstBits: GroupedBits;
  readonly #secondBits: GroupedBits;
  #rows = new Int32Array(firstVectors);
  size = 0;

  /** @param centre about the mean of the vectors to come; zero if unknown */
  constructor(
    dimension: number,
    centre: Float32Array = new Float32Array(dimension),
    simd: NibbleSums = nibbleSums,
  ) {
    this.#words = Math.ceil(dimension / numbersPerWord);
    this.#centre = centre;
    this.#rest = new Float64Array(dimension);
    this.#firstBits = new GroupedBits(this.#words, firstVectors, simd);
    this.#secondBits = new GroupedBits(this.#words, firstVectors, simd);
  }

  get bytes(): number {
    const bits = this.#firstBits.bytes + this.#secondBits.bytes;
    return bits + this.#rows.byteLength + this.#factors.byteLength;
  }

  add(row: number, vector: Int8Array): void {
    if (this.size === this.#rows.length) this.reserve(2 * this.size);
    const rest = this.#rest;
    const perLength = 1 / (Math.sqrt(dot(vector, vector)) || 1);
    let sum = 0;
    let square = 0;
    for (let i = 0; i < rest.length; i++) {
      const number = vector[i] * perLength - this.#centre[i];
      rest[i] = number;
      sum += Math.abs(number);
      square += number * number;
    }
    const mean = sum / rest.length;
    let product = 0;
    let first = 0;
    let second = 0;
    for (let i = 0; i < rest.length; i++) {
      const isPositive = rest[i] >= 0;
      const isLarge = Math.abs(rest[i]) > mean;
      product += Math.abs(rest[i]) * (isLarge ? 3 : 1);
      if (isPositive) first |= 1 << (i & 31);
      if (isPositive === isLarge) second |= 1 << (i & 31);
      if ((i & 31) < 31 && i < rest.length - 1) continue;
      this.#firstBits.setWord(this.size, i >> 5, first);
      this.#secondBits.setWord(this.size, i >> 5, second);
      first = 0;
      second = 0;
    }
    this.#factors[this.size] = product > 0 ? square / product : 0;
    this.#rows[this.size++] = row;
  }

  addAll({ rows, numbers, squares }: VectorsOfRows): void {
    const perLengths = Float64Array.from(squares, perLengthOf);
    const dimension = this.#rest.length;
    const atOnce = codeMaker.vectorsAtOnce(dimension);
    this.reserve(this.size + rows.length);
    for (let from = 0; from < rows.length; from += atOnce || 1) {
      const end = Math.min(from + (atOnce || 1), rows.length);
      const vectors = numbers.subarray(from * dimension, end * dimension);
      if (atOnce > 0) this.#addBlock(rows.subarray(from, end), vectors, perLengths.subarray(from, end));
      else if (rows[from] >= 0) this.add(rows[from], vectors);
    }
  }

  #addBlock(rows: Int32Array, vectors: Int8Array, perLengths: Float64Array): void {
    const bytes = this.#words * Int32Array.BYTES_PER_ELEMENT;
    const { first, second, factors } = codeMaker.make(vectors, perLengths, this.#centre);
    for (let i = 0; i < rows.length; i++) {
      if (rows[i] < 0) continue;
      this.#firstBits.setAll(this.size, first, i * bytes);
      this.#secondBits.setAll(this.size, second, i * bytes);
      this.#factors[this.size] = factors[i];
      this.#rows[this.size++] = rows[i];
    }
  }

  nearest(query: Float32Array, { count, isSeen, passes }: NearestTarget): Estimates {
    const best = new NearestRows({ count, isSeen, passes });
    this.#scan(byteTables(query), best);
    return best.estimates();
  }

  #scan(query: Tables, best: NearestRows): void {
    const limits = limitsOf(query, this.#words);
    const atOnce = this.#firstBits.atOnce || this.size;
    for (let from = 0; from < this.size; from += atOnce) {
      const end = Math.min(from + atOnce, this.size);
      if (this.#firstBits.atOnce > 0) this.#scanBySimd(from, end, query, limits, best);
      else for (let i = from; i < end; i++) this.#compare(i, query.tables, limits, best);
    }
  }

  /** Skips vectors that their first bits exclude, or whose estimate cannot exceed the lowest. */
  #scanBySimd(from: number, end: number, { tables }: Tables, limits: Limits, best: NearestRows): void {
    const factors = this.#factors;
    const { unit, least } = limits.bounds;
    const first = this.#firstBits.sums(limits.bounds, from, firstSums);
    const second = this.#secondBits.sums(limits.bounds, from, secondSums);
    let lowest = best.least;
    for (let i = from, at = 0; i < end; i++, at++) {
      const twice = 2 * first[at];
      const factor = factors[i];
      if (factor * (3 * least + unit * (twice + second[at])) <= lowest) continue;
      if (factor * (2 * least + unit * twice + limits.second) <= lowest) continue;
      this.#compare(i, tables, limits, best);
      lowest = best.least;
    }
  }

  #compare(i: number, tables: Int16Array, limits: Limits, best: NearestRows): void {
    const [row, factor, words] = [this.#rows[i], this.#factors[i], this.#words];
    const half = words >> 1;
    let first = this.#firstBits.sumOf(tables, i, 0, half);
    let most = factor * (2 * first + limits.rest);
    if (most <= best.least || !best.mayBelong(row, most)) return;
    first += this.#firstBits.sumOf(tables, i, half, words);
    most = factor * (2 * first + limits.second);
    if (most <= best.least) return;
    const estimate = factor * (2 * first + this.#secondBits.sumOf(tables, i, 0, words));
    if (estimate > best.least) best.add(row, estimate);
  }

  reserve(count: number): void {
    if (count <= this.#rows.length) return;
    this.#firstBits.reserve(count);
    this.#secondBits.reserve(count);
    this.#rows = enlarged(this.#rows, count);
    const factors = new Float32Array(count);
    factors.set(this.#factors);
    this.#factors = factors;
  }
}

const firstSums = new Uint16Array(vectorsMax);
const secondSums = new Uint16Array(vectorsMax);

/** Allowances for bits that were not read. */
interface Limits {
  /** Bounds of the sum of a vector's first bits, or of its second bits. */
  readonly bounds: SumBounds;
  /** Allowance after half of the first bits. */
  readonly rest: number;
  /** Allowance after all first bits. */
  readonly second: number;
}

function limitsOf({ tables, deviationFrom }: Tables, words: number): Limits {
  const ofSecond = deviationFrom(0);
  return {
    bounds: boundsOf(tables),
    rest: deviationsAfterHalf * Math.hypot(2 * deviationFrom(words >> 1), ofSecond),
    second: deviationsAfterFirst * ofSecond,
  };
}

function enlarged(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(numbers);
  return larger;
}

/**
 * Maximum numbers of a user's vectors in a space that are cached whole: 131,072
 * vectors of 384 numbers, 50 MiB. 100,000 codes would take 37 MiB less, and a
 * search about 6 ms more, because it reads the nearest back from the store.
 */
const wholeNumbersMax = 3 * 2 ** 24;

/** The index with room for `more` vectors: whole vectors up to `numbersMax` numbers, codes beyond. */
export function withRoom(
  index: InMemoryVectorIndex | undefined,
  dimension: number,
  more: number,
  numbersMax = wholeNumbersMax,
): InMemoryVectorIndex {
  const vectors = index ?? new WholeVectors(dimension);
  if (!(vectors instanceof WholeVectors)) return vectors;
  return (vectors.size + more) * dimension <= numbersMax ? vectors : toCodes(vectors);
}

function toCodes(whole: WholeVectors): VectorCodes {
  const codes = new VectorCodes(whole.dimension, whole.mean());
  codes.addAll(whole.contents());
  return codes;
}

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
