/** Similarity that makes a short text a match by itself: plausibly related. */
export const similarityMin = 0.5;

/** Of what words leave open; a text that shares no word is worth at most this much. */
const meaningWorth = 0.5;

/**
 * How well a short text matches, from how well its words do (0-1) and how near it is in meaning (0-1). Words come
 * first: all that was asked for is 1 whatever the meaning, and meaning fills part of what words leave open.
 */
export function wordsAndMeaning(words: number, similarity: number): number {
  return words + (1 - words) * meaningWorth * similarity;
}

export function isMatch(words: number, similarity: number): boolean {
  return words > 0 || similarity >= similarityMin;
}
