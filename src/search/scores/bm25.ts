import type { IndexReader, LiveDocument, PlainKind } from '../../search-index/ports.ts';

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

/** A record that contains at least one term of the query. */
interface ScoredDocument extends LiveDocument {
  /** BM25, above 0. */
  readonly score: number;
}

/** Keyword scores of records. */
export interface DocumentScores {
  /** In no fixed order. */
  readonly documents: readonly ScoredDocument[];
  /** Score of a document of average length with each term once, the reference of all scores. Above 0. */
  readonly whole: number;
}

const nothing: DocumentScores = { documents: [], whole: 1 };

/** BM25 of the live records of a kind that has no rows in the columns, over statistics of their own. */
export async function documentScores(
  reader: Pick<IndexReader, 'liveDocuments' | 'postings' | 'statistics'>,
  kind: PlainKind,
  terms: readonly string[],
): Promise<DocumentScores> {
  if (terms.length === 0) return nothing;
  const found = await reader.postings(kind, terms);
  const matches = new Set(found.flatMap(({ docs }) => docs));
  if (matches.size === 0) return nothing;
  const documents = await reader.liveDocuments(kind, [...matches]);
  const byDoc = new Map(documents.map((document) => [document.doc, document]));
  const total = await reader.statistics(kind);
  const average = total.terms / Math.max(total.documents, 1);
  const scores = new Map<LiveDocument, number>();
  let whole = 0;
  for (const { docs, frequencies } of found) {
    const live = docs.filter((doc) => byDoc.has(doc));
    // A deletion between the reads above must not make a term more frequent than there are documents.
    const idf = inverseDocumentFrequency(Math.max(total.documents, live.length), live.length);
    whole += idf;
    for (const [i, doc] of docs.entries()) {
      const document = byDoc.get(doc);
      if (!document) continue;
      const weight = idf * termWeight(frequencies[i], lengthNorm(document.termCount, average));
      scores.set(document, (scores.get(document) ?? 0) + weight);
    }
  }
  const scored = [...scores].map(([document, score]) => ({ ...document, score }));
  return { documents: scored, whole };
}
