import type { LiveTerm } from '../expand/live-terms.ts';
import type { RowTest } from '../index/row-filter.ts';
import type { UserIndex } from '../index/user-index.ts';
import { inverseDocumentFrequency, lengthNorm, termWeight } from '../rank/bm25.ts';

/** What the keyword arm found: rows with at least one term of the query that pass the filter. */
export interface KeywordMatches {
  /** In no fixed order. */
  readonly rows: readonly number[];
  /**
   * BM25 by row number; 0 for rows that hold no term, whether or not they pass the filter, and in a place more than rows:
   * "no neighbour".
   */
  readonly scores: Float64Array;
  /** For each term, its idf and the visible rows that hold it, filtered or not. */
  readonly terms: readonly TermMatches[];
}

export interface TermMatches {
  readonly term: string;
  readonly idf: number;
  readonly rows: Int32Array;
  readonly frequencies: Uint8Array;
}

/** BM25 over the user's own statistics. Scores of rows outside the filter are kept too: they count as neighbours. */
export function scoreTerms(index: UserIndex, terms: readonly LiveTerm[], passes: RowTest): KeywordMatches {
  const scores = new Float64Array(index.size + 1);
  const average = index.documentTerms / Math.max(index.documents, 1);
  const { termCount } = index.columns;
  const rows: number[] = [];
  const matches = terms.map((live): TermMatches => {
    const { term, weight, documentFrequency } = live;
    const idf = weight * inverseDocumentFrequency(index.documents, documentFrequency);
    for (let i = 0; i < live.rows.length; i++) {
      const row = live.rows[i];
      if (scores[row] === 0) rows.push(row);
      scores[row] += idf * termWeight(live.frequencies[i], lengthNorm(termCount[row], average));
    }
    return { term, idf, rows: live.rows, frequencies: live.frequencies };
  });
  return { rows: rows.filter(passes), scores, terms: matches };
}
