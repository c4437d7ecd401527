import type { RowTest } from '../index/row-filter.ts';
import type { UserIndex } from '../index/user-index.ts';
import type { Postings } from '../ports.ts';
import { inverseDocumentFrequency, lengthNorm, termWeight } from '../rank/bm25.ts';

/** What the keyword arm found: rows with at least one term of the query that pass the filter. */
export interface KeywordMatches {
  /** In no fixed order. */
  readonly rows: readonly number[];
  /** BM25 by row number; 0 for rows that hold no term, whether or not they pass the filter. */
  readonly scores: Float64Array;
  /** For each term, its idf and the live rows that hold it, filtered or not. */
  readonly terms: readonly TermMatches[];
}

export interface TermMatches {
  readonly term: string;
  readonly idf: number;
  readonly rows: readonly number[];
  readonly frequencies: readonly number[];
}

/** The live rows among postings: both lists rise, so one walk along the docs of the index finds them. */
function liveRows(
  index: UserIndex,
  { docs, frequencies }: Postings,
): { rows: number[]; frequencies: number[] } {
  const found = { rows: [] as number[], frequencies: [] as number[] };
  const known = index.columns.docs;
  let row = 0;
  for (let i = 0; i < docs.length; i++) {
    row = advance(known, row, index.size, docs[i]);
    if (row >= index.size) break;
    if (known[row] !== docs[i] || !index.isLive(row)) continue;
    found.rows.push(row);
    found.frequencies.push(frequencies[i]);
  }
  return found;
}

/** First row from `from` whose doc is `doc` or more, by galloping: steps double, then a binary search. */
function advance(docs: Float64Array, from: number, size: number, doc: number): number {
  if (from >= size || docs[from] >= doc) return from;
  let step = 1;
  while (from + step < size && docs[from + step] < doc) step *= 2;
  let low = from + (step >> 1);
  let high = Math.min(from + step, size);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * BM25 over the user's own statistics. Scores of rows outside the filter are kept too: they count as neighbours.
 * @param postings one entry for each of `terms`
 */
export function keywordArm(
  index: UserIndex,
  terms: readonly string[],
  postings: readonly Postings[],
  passes: RowTest,
): KeywordMatches {
  const scores = new Float64Array(index.size);
  const average = index.documentTerms / Math.max(index.documents, 1);
  const { termCount } = index.columns;
  const rows: number[] = [];
  const matches = terms.map((term, t): TermMatches => {
    const found = liveRows(index, postings[t]);
    const idf = inverseDocumentFrequency(index.documents, found.rows.length);
    for (let i = 0; i < found.rows.length; i++) {
      const row = found.rows[i];
      if (scores[row] === 0) rows.push(row);
      scores[row] += idf * termWeight(found.frequencies[i], lengthNorm(termCount[row], average));
    }
    return { term, idf, rows: found.rows, frequencies: found.frequencies };
  });
  return { rows: rows.filter(passes), scores, terms: matches };
}
