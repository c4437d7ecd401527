import type { IndexReader, LiveDocument, Postings } from '../ports.ts';
import { inverseDocumentFrequency, lengthNorm, termWeight } from './bm25.ts';

/** A record that holds at least one term of the query. */
export interface ScoredDocument extends LiveDocument {
  /** BM25, above 0. */
  readonly score: number;
}

/** BM25 of the live records of a kind that has no rows in the columns, over statistics of their own; in no fixed order. */
export async function documentScores(
  reader: Pick<IndexReader, 'liveDocuments' | 'postings'>,
  kind: Parameters<IndexReader['liveDocuments']>[0],
  terms: readonly string[],
): Promise<ScoredDocument[]> {
  const found = await reader.postings(kind, terms);
  if (found.every(({ docs }) => docs.length === 0)) return [];
  return scored(await reader.liveDocuments(kind), found);
}

function scored(documents: readonly LiveDocument[], found: readonly Postings[]): ScoredDocument[] {
  const byDoc = new Map(documents.map((document) => [document.doc, document]));
  const average =
    documents.reduce((sum, { termCount }) => sum + termCount, 0) / Math.max(documents.length, 1);
  const scores = new Map<LiveDocument, number>();
  for (const { docs, frequencies } of found) {
    const live = docs.filter((doc) => byDoc.has(doc));
    const idf = inverseDocumentFrequency(documents.length, live.length);
    for (const [i, doc] of docs.entries()) {
      const document = byDoc.get(doc);
      if (!document) continue;
      const weight = idf * termWeight(frequencies[i], lengthNorm(document.termCount, average));
      scores.set(document, (scores.get(document) ?? 0) + weight);
    }
  }
  return [...scores].map(([document, score]) => ({ ...document, score }));
}
