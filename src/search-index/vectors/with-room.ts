import type { InMemoryVectorIndex } from './nearest-rows.ts';
import { VectorCodes } from './vector-codes.ts';
import { WholeVectors } from './whole-vectors.ts';

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
