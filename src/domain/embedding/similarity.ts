/**
 * Maps the cosine of two texts' vectors to a similarity from 0 to 1: 0.5
 * if they are plausibly related (`halfAt`, which differs between models),
 * 1 if they are the same, linear in between. Comparable across models.
 */
export function similarityOf(cosine: number, halfAt: number): number {
  if (!(cosine > 0)) return 0;
  if (cosine <= halfAt) return (0.5 * cosine) / halfAt;
  return Math.min(1, 0.5 + (0.5 * (cosine - halfAt)) / (1 - halfAt));
}

/** The cosine with this similarity: the inverse of `similarityOf`; -1 for 0, so that every cosine passes. */
export function cosineAtSimilarity(similarity: number, halfAt: number): number {
  if (similarity <= 0) return -1;
  if (similarity <= 0.5) return (similarity * halfAt) / 0.5;
  return halfAt + ((similarity - 0.5) * (1 - halfAt)) / 0.5;
}

/** Dot product of two vectors of the same length: the cosine of unit vectors. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** A different word of similar meaning. */
export interface Synonym {
  readonly word: string;
  /** 0.3 to 1. */
  readonly closeness: number;
}

export interface Synonyms {
  /** Synonyms of a folded, lower-case word, nearest first, at most 32; none for an unknown word. */
  near(word: string): readonly Synonym[];
}
