import type { UserIndex } from '../../search-index/rows/user-index.ts';

const saturation = 1.2;

/** A term of a query, and the visible rows that have it. */
export interface WeighedTerm {
  readonly idf: number;
  readonly rows: Int32Array;
}

/**
 * Scores of whole conversations: the sum over the query's terms of idf × m × 2.2 / (m + 1.2), where m is the
 * number of live memories with the term. As good as BM25 over whole conversations, by measurement (ADR 22).
 * @returns a score by number of a conversation; 0 if no memory contains a term
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

const bestOfConversation = 3;

/** Mean of the three best scores by number of a conversation; missing ones count as 0. */
export function meanOfBest(
  { columns, conversations }: UserIndex,
  scores: Float64Array,
  rows: Iterable<number>,
): Float64Array {
  // The best scores of each conversation, descending. Sorted
  // lists took a seventh of the allocations of a search.
  const best = new Float64Array(conversations.size * bestOfConversation);
  for (const row of rows) {
    const from = columns.conversation[row] * bestOfConversation;
    let value = scores[row];
    for (let i = from; i < from + bestOfConversation && value > 0; i++) {
      if (value <= best[i]) continue;
      [best[i], value] = [value, best[i]];
    }
  }
  const means = new Float64Array(conversations.size);
  for (let i = 0; i < best.length; i++) means[Math.floor(i / bestOfConversation)] += best[i];
  for (let i = 0; i < means.length; i++) means[i] /= bestOfConversation;
  return means;
}
