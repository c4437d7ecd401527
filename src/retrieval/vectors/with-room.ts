import type { InMemoryVectorIndex } from './nearest-rows.ts';
import { VectorCodes } from './vector-codes.ts';
import { WholeVectors } from './whole-vectors.ts';

/**
 * Of all vectors of a user in a space, up to which they are held whole: 131,072 vectors of 384 numbers, 50 MiB. Of 100,000 codes
 * would take 37 MiB less, and a search some 6 ms more, for it reads the nearest back from the store.
 */
const wholeNumbersMax = 3 * 2 ** 24;

/** What holds those of `held` and has room for `more`: whole vectors as long as they are not too many, then codes. */
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
