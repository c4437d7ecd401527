import type { TermMatches } from '../arms/keyword-arm.ts';
import type { UserIndex } from '../index/user-index.ts';

const saturation = 1.2;

/**
 * How well whole conversations match: over the query's terms, idf × m × 2.2 / (m + 1.2), where m counts the
 * conversation's live memories that hold the term. Measured as good as BM25 over whole conversations (design, section 7).
 * @returns scores by number of the conversation, only of those that hold a term
 */
export function conversationScores(index: UserIndex, terms: readonly TermMatches[]): Map<number, number> {
  const scores = new Map<number, number>();
  const { conversation } = index.columns;
  for (const { idf, rows } of terms) {
    const counts = new Map<number, number>();
    for (const row of rows) counts.set(conversation[row], (counts.get(conversation[row]) ?? 0) + 1);
    for (const [number, m] of counts) {
      scores.set(number, (scores.get(number) ?? 0) + (idf * m * (saturation + 1)) / (m + saturation));
    }
  }
  return scores;
}
