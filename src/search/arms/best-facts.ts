import type { IndexReader } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';

/** A fact by its doc in the keyword index; the score is above 0 and at most 1. */
export interface RankedFact {
  readonly doc: number;
  readonly score: number;
}

const factsMax = 200;
/** Minimum share of the query, weighted by idf, of a fact that adds memories to a search. */
const shareMin = 0.4;

/** The facts with the largest share of the query's words, best first; from postings alone, for speed. */
export async function bestFactsByWords(
  terms: readonly string[],
  reader: Pick<IndexReader, 'postings'>,
  { index }: IndexView,
): Promise<RankedFact[]> {
  if (terms.length === 0) return [];
  const scores = new Map<number, number>();
  let whole = 0;
  for (const { docs } of await reader.postings('fact', terms)) {
    // There are about as many facts as memories; a count would take longer than the rest.
    const idf = inverseDocumentFrequency(Math.max(index.documents, docs.length), docs.length);
    whole += idf;
    for (const doc of docs) scores.set(doc, (scores.get(doc) ?? 0) + idf);
  }
  return [...scores]
    .map(([doc, score]) => ({ doc, score: score / whole }))
    .filter(({ score }) => score >= shareMin)
    .sort((a, b) => b.score - a.score || b.doc - a.doc)
    .slice(0, factsMax);
}
