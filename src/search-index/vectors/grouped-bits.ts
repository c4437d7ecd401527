import { valuesPerByte } from './byte-tables.ts';
import { groupSize, type NibbleSums, nibbleSums, tableBytes } from './simd/nibble-sums.ts';

const bytesPerWord = 4;
const bitsPerByte = 8;
const bitsPerNibble = 4;
const valuesPerNibble = 1 << bitsPerNibble;
const largest = 255;

/** Upper bound of a vector's sum: `least` plus `unit` times the sum that SIMD computes. */
export interface SumBounds {
  readonly least: number;
  readonly unit: number;
  /** Contributions of half bytes, in units, rounded up. */
  readonly nibbles: Uint8Array;
}

/**
 * One bit per number of each vector, in groups of 16 vectors:
 * the same byte of all 16 is contiguous, for SIMD to read.
 */
export class GroupedBits {
  /** Vectors whose bounds are computed at once; 0 without SIMD, or if vectors are too long. */
  readonly atOnce: number;
  /** Bytes of a vector. */
  readonly #places: number;
  readonly #simd: NibbleSums;
  #groups: Uint8Array;

  /** @param words number of 32-bit words in a vector */
  constructor(words: number, count: number, simd: NibbleSums = nibbleSums) {
    this.#places = bytesPerWord * words;
    this.#simd = simd;
    this.atOnce = simd.vectorsAtOnce(this.#places);
    this.#groups = new Uint8Array(this.#startOf(count + groupSize - 1));
  }

  get bytes(): number {
    return this.#groups.byteLength;
  }

  reserve(count: number): void {
    const groups = new Uint8Array(Math.ceil(count / groupSize) * groupSize * this.#places);
    groups.set(this.#groups);
    this.#groups = groups;
  }

  setWord(vector: number, word: number, bits: number): void {
    let at = this.#startOf(vector) + word * bytesPerWord * groupSize;
    for (let byte = 0; byte < bytesPerWord; byte++, at += groupSize)
      this.#groups[at] = bits >>> (byte * bitsPerByte);
  }

  /** @param bytes of all words, little-endian, as SIMD also requires */
  setAll(vector: number, bytes: Uint8Array, from: number): void {
    const groups = this.#groups;
    const places = this.#places;
    const start = this.#startOf(vector);
    for (let place = 0; place < places; place++) groups[start + place * groupSize] = bytes[from + place];
  }

  #startOf(vector: number): number {
    const inGroup = vector & (groupSize - 1);
    return (vector - inGroup) * this.#places + inGroup;
  }

  /** Sum of the words from `begin` to `end` of a vector. */
  sumOf(tables: Int16Array, vector: number, begin: number, end: number): number {
    const groups = this.#groups;
    const last = end * bytesPerWord;
    let sum = 0;
    let at = this.#startOf(vector) + begin * bytesPerWord * groupSize;
    for (let place = begin * bytesPerWord; place < last; place++, at += groupSize)
      sum = (sum + tables[place * valuesPerByte + groups[at]]) | 0;
    return sum;
  }

  /** Writes the SIMD sums of `atOnce` vectors from `from` on to `out`. */
  sums({ nibbles }: SumBounds, from: number, out: Uint16Array): Uint16Array {
    const places = this.#places;
    out.set(this.#simd.add(nibbles, this.#groups.subarray(from * places, (from + this.atOnce) * places)));
    return out;
  }
}

/** Maximum difference between the rounded sum of a byte and the sum of its two rounded halves. */
const roundedBy = 2;

/** @param tables of `byteTables`: contributions of bytes, by place and value */
export function boundsOf(tables: Int16Array): SumBounds {
  const places = tables.length / valuesPerByte;
  const halves = new Int32Array(places * tableBytes);
  let least = roundedBy * places + 1;
  let range = 1;
  for (let half = 0; half < 2 * places; half++) {
    const table = (half >> 1) * valuesPerByte;
    const values = halves.subarray(half * valuesPerNibble, (half + 1) * valuesPerNibble);
    for (let value = 0; value < valuesPerNibble; value++)
      values[value] =
        half % 2 === 0 ? tables[table + value] - tables[table] : tables[table + (value << bitsPerNibble)];
    const lowest = Math.min(...values);
    for (let value = 0; value < valuesPerNibble; value++) values[value] -= lowest;
    least += lowest;
    range = Math.max(range, ...values);
  }
  const unit = range / largest;
  const nibbles = Uint8Array.from(halves, (value) => Math.min(largest, Math.ceil(value / unit)));
  return { least, unit, nibbles };
}
