import type { Embedder } from '../domain/embedding/embedder.ts';
import { dot } from '../domain/embedding/similarity.ts';
import { unrelatedSentences } from './unrelated-sentences.ts';

/** Fraction of pairs of unrelated sentences whose cosine is below that of plausibly related texts. */
const percentile = 0.97;
/** Bounds of the result: similarity divides by it and by 1 minus it. */
const leastHalf = 0.01;
const mostHalf = 0.99;

/**
 * The cosine at which two texts are plausibly related, computed from vectors of the same unrelated
 * sentences, in the same order, as queries and as documents. A sentence is not compared with itself.
 */
export function relatedCosineOf(
  queries: readonly Float32Array[],
  documents: readonly Float32Array[],
): number {
  const cosines = new Float64Array(queries.length * (documents.length - 1));
  let count = 0;
  queries.forEach((query, i) => {
    documents.forEach((document, j) => {
      if (i !== j) cosines[count++] = dot(query, document);
    });
  });
  cosines.sort();
  return Math.min(mostHalf, Math.max(leastHalf, cosines[Math.floor(percentile * (count - 1))]));
}

/**
 * Measures this cosine for an embedder that does not state it:
 * embeds some 200 sentences, each as a query and as a document.
 * @throws EmbeddingError
 */
export async function calibrate(embedder: Embedder): Promise<number> {
  const documents = await embedder.embed(unrelatedSentences, 'document');
  return relatedCosineOf(await queriesOf(embedder), documents);
}

/** One by one, because queries have the short deadline of a search. */
async function queriesOf(embedder: Embedder): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const sentence of unrelatedSentences) vectors.push(...(await embedder.embed([sentence], 'query')));
  return vectors;
}
