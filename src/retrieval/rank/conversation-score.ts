import type { UserIndex } from '../index/user-index.ts';

const saturation = 1.2;

/** A term of a query, and the visible rows that have it. */
export interface WeighedTerm {
  readonly idf: number;
  readonly rows: Int32Array;
}

/**
 * How well whole conversations match: over the query's terms, idf × m × 2.2 / (m + 1.2), where m counts the
 * conversation's live memories that hold the term. Measured as good as BM25 over whole conversations (ADR 22).
 * @returns a score for each number of a conversation; 0 where no memory holds a term
 */
export function conversationScores(index: UserIndex, terms: readonly WeighedTerm[]): Float64Array {
  const scores = new Float64Array(index.conversations.size);
  const counts = new Uint32Array(index.conversations.size);
  const { conversation } = index.columns;
  for (const { idf, rows } of terms) {
    const touched: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      const number = conversation[rows[i]];
      if (counts[number]++ === 0) touched.push(number);
    }
    for (const number of touched) {
      const m = counts[number];
      scores[number] += (idf * m * (saturation + 1)) / (m + saturation);
      counts[number] = 0;
    }
  }
  return scores;
}
