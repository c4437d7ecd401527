import type { IndexView } from '../../search-index/rows/index-view.ts';
import type { TextPassages } from '../../search-index/rows/text-passages.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import { inverseDocumentFrequency, lengthNorm, termWeight } from '../scores/bm25.ts';
import { includesRow } from '../scores/order.ts';

/** A passage of usual length has about so many terms; the average memory may be longer. */
const usualTerms = 100;

/** The terms of a query, weighed, to score passages of long texts with. */
export interface PassageQuery {
  readonly view: IndexView;
  readonly terms: readonly LiveTerm[];
  /** Idf of each term. */
  readonly idfs: readonly number[];
}

/** Words of the query in the passages of one text. */
export interface PassageScores {
  /** BM25 of each passage. */
  readonly scores: Float64Array;
  /** For each term of the query: how often each passage has it. */
  readonly frequencies: readonly Uint8Array[];
}

/**
 * BM25 of each passage of the texts, by row. A term of the memory that is in no passage (of its name,
 * topics or event date) counts in all of them.
 */
export function scorePassages(
  query: PassageQuery,
  texts: ReadonlyMap<number, TextPassages>,
): { readonly idfs: readonly number[]; readonly scored: Map<number, PassageScores> } {
  const { terms } = query;
  const found = new Map<number, readonly Uint8Array[]>();
  for (const [row, text] of texts)
    found.set(
      row,
      terms.map((term) => frequenciesOf(term, row, text)),
    );
  const idfs = idfsAmong(query.idfs, [...found.values()]);
  const { index } = query.view;
  const average = Math.min(usualTerms, index.documentTerms / Math.max(index.documents, 1));
  const scored = new Map<number, PassageScores>();
  for (const [row, frequencies] of found) {
    const { termCounts } = texts.get(row) as TextPassages;
    const scores = new Float64Array(termCounts.length);
    for (const [p, length] of termCounts.entries()) {
      const norm = lengthNorm(length, average);
      for (const [t, { [p]: frequency }] of frequencies.entries())
        if (frequency > 0) scores[p] += idfs[t] * termWeight(frequency, norm);
    }
    scored.set(row, { scores, frequencies });
  }
  return { idfs, scored };
}

/**
 * Idf by passages: a word that all of a user's documents have may be in few passages. They have the
 * sum of `idfs`, so that scores of passages and of short texts are comparable.
 */
function idfsAmong(idfs: readonly number[], texts: readonly (readonly Uint8Array[])[]): readonly number[] {
  const passages = texts.reduce((sum, [first]) => sum + (first?.length ?? 0), 0);
  const among = idfs.map((idf, t) => {
    if (idf === 0) return 0;
    let having = 0;
    for (const { [t]: frequencies } of texts)
      for (const frequency of frequencies) if (frequency > 0) having++;
    return inverseDocumentFrequency(passages, having);
  });
  const sum = (of: readonly number[]) => of.reduce((all, each) => all + each, 0);
  const factor = sum(idfs) / (sum(among) || 1);
  return among.map((idf) => idf * factor);
}

function frequenciesOf({ term, standsFor, rows }: LiveTerm, row: number, text: TextPassages): Uint8Array {
  const found = new Uint8Array(text.passages.length);
  if (!includesRow(rows, row)) return found;
  const own = new Uint8Array(found.length);
  for (const each of standsFor ?? [term]) {
    text.frequencies(each, own);
    for (let p = 0; p < own.length; p++) found[p] = Math.max(found[p], own[p]);
  }
  return found.some((frequency) => frequency > 0) ? found : found.fill(1);
}
