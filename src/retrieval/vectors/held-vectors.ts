import { CodedVectors } from './coded-vectors.ts';
import type { HeldVectors } from './nearest-rows.ts';
import { WholeVectors } from './whole-vectors.ts';

/** In numbers, of all vectors of a user together. */
const limits = {
  /** Up to which all are compared: 4,096 vectors of 256 numbers, a MiB. */
  compared: 2 ** 20,
  /** Up to which they are held beside their codes: 131,072 vectors of 256 numbers, 44 MiB in all. */
  held: 2 ** 25,
};

/** What holds those of `held` and has room for `more`: whole vectors, then with codes beside them, then codes alone. */
export function heldWithRoom(
  held: HeldVectors | undefined,
  dimension: number,
  more: number,
  max = limits,
): HeldVectors {
  let vectors = held ?? new WholeVectors(dimension);
  const numbers = (vectors.size + more) * dimension;
  if (vectors instanceof WholeVectors && numbers > max.compared) vectors = new CodedVectors(vectors);
  if (vectors instanceof CodedVectors && numbers > max.held) vectors = vectors.toCodes();
  return vectors;
}
