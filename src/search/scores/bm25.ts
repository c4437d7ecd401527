/** Saturation of repetition and weight of length; low values suit short memories (ADR 22). */
export const bm25Parameters = { k1: 0.6, b: 0.3 } as const;

/** Inverse document frequency, always above 0: ln(1 + (N - df + 0.5) / (df + 0.5)) (Robertson and Zaragoza 2009). */
export function inverseDocumentFrequency(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The part of BM25 that does not depend on the term: 1 for a document of average length. */
export function lengthNorm(length: number, averageLength: number): number {
  const { k1, b } = bm25Parameters;
  return k1 * (1 - b + (b * length) / (averageLength || 1));
}

/** Weight of `frequency` occurrences under a norm from `lengthNorm`, to be multiplied by the idf. */
export function termWeight(frequency: number, norm: number): number {
  return (frequency * (bm25Parameters.k1 + 1)) / (frequency + norm);
}
