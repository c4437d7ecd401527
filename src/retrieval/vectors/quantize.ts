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
  let product = 0;
  let square = 0;
  for (let i = 0; i < other.length; i++) {
    product += unit[i] * other[i];
    square += other[i] * other[i];
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}
