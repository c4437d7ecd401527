import { dot } from '../../domain/embedding/similarity.ts';

const largest = 127;
const largestOfQuery = 32_767;

/**
 * A vector with a byte for each number, scaled so that its
 * largest number is 127. Cosines change in the third digit.
 */
export function toInt8(vector: Float32Array): Int8Array {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]));
  const bytes = new Int8Array(vector.length);
  const scale = largest / most;
  if (most > 0) for (let i = 0; i < vector.length; i++) bytes[i] = Math.round(vector[i] * scale);
  return bytes;
}

/**
 * A query in whole numbers: products are exact in any order of addition, so that
 * scores have the same last digits on both engines. Cosines change in the fifth digit.
 */
export interface WholeQuery {
  readonly numbers: Int16Array;
  /** Value of 1 in `numbers`. */
  readonly scale: number;
}

/** @param length of the result, padded with zeros */
export function toWholeQuery(unit: Float32Array, length = unit.length): WholeQuery {
  let most = 0;
  for (let i = 0; i < unit.length; i++) most = Math.max(most, Math.abs(unit[i]));
  // By Cauchy-Schwarz, the first keeps every sum of products
  // below 2^30; the second keeps each number within 16 bits.
  const scale = Math.min(2 ** 30 / (largest * Math.sqrt(length)), largestOfQuery / (most || 1));
  const numbers = new Int16Array(length);
  for (let i = 0; i < unit.length; i++) numbers[i] = Math.round(unit[i] * scale);
  return { numbers, scale };
}

/** Cosine of a unit vector and a vector of any length; 0 for the zero vector. */
export function cosine({ numbers, scale }: WholeQuery, vector: Int8Array): number {
  return cosineOf(product(numbers, vector, 0), perLength(vector), scale);
}

/** In one place, because the order of these two steps changes the last digit. */
export function cosineOf(product: number, perLength: number, scale: number): number {
  return (product * perLength) / scale;
}

/** 1/length; 0 for the zero vector, so that its cosines are 0. */
export function perLength(vector: Int8Array): number {
  return perLengthOf(dot(vector, vector));
}

/** @param square sum of the squares of a vector's numbers */
export function perLengthOf(square: number): number {
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}

/** Product with the vector that begins at `from`. Four sums are independent, so that additions overlap. */
export function product(query: Int16Array, vectors: Int8Array, from: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const end = query.length - (query.length % 4);
  for (let i = 0, at = from; i < end; i += 4, at += 4) {
    a = (a + Math.imul(query[i], vectors[at])) | 0;
    b = (b + Math.imul(query[i + 1], vectors[at + 1])) | 0;
    c = (c + Math.imul(query[i + 2], vectors[at + 2])) | 0;
    d = (d + Math.imul(query[i + 3], vectors[at + 3])) | 0;
  }
  for (let i = end; i < query.length; i++) a = (a + Math.imul(query[i], vectors[from + i])) | 0;
  return (a + b + c + d) | 0;
}
