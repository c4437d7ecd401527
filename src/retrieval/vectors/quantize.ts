import { dot } from '../../domain/embedding/similarity.ts';

const largest = 127;

/** A vector in a byte a number, scaled so that its largest number is 127: cosines change in the third digit. */
export function toInt8(vector: Float32Array): Int8Array {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]));
  const bytes = new Int8Array(vector.length);
  const scale = largest / most;
  if (most > 0) for (let i = 0; i < vector.length; i++) bytes[i] = Math.round(vector[i] * scale);
  return bytes;
}

/** Cosine of a unit vector and a vector of any length; 0 where that is the zero vector. */
export function cosine(unit: Float32Array, other: Int8Array): number {
  return product(unit, other, 0) * perLength(other);
}

/** 1/length; 0 of the zero vector, so that its cosines are 0. */
export function perLength(vector: Int8Array): number {
  const square = dot(vector, vector);
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}

/**
 * Product with the vector that begins at `from`. Four sums side by side, as one alone waits for itself at every step; in
 * one place, as the last digits of a score depend on the order and are the same on both engines.
 */
export function product(query: Float32Array, numbers: Int8Array, from: number): number {
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
