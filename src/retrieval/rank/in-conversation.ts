import type { TermMatches } from '../arms/keyword-arm.ts';
import { noRow } from '../index/conversation-rows.ts';
import type { RowTest } from '../index/row-filter.ts';
import type { UserIndex } from '../index/user-index.ts';
import { documentTraits } from '../ports.ts';
import { closeness, type NamedPeriod } from '../time/named-periods.ts';
import { conversationScores } from './conversation-score.ts';
import type { ContextWeights } from './weights.ts';

export interface InConversationInput {
  readonly index: UserIndex;
  readonly terms: readonly TermMatches[];
  /** Own BM25 by row, also of rows outside the filter. */
  readonly own: Float64Array;
  readonly passes: RowTest;
  readonly weights: ContextWeights;
  /** Times that the query speaks of. */
  readonly periods: readonly NamedPeriod[];
}

/** Ingredients of a score in the order in which they are kept. */
export const ingredients = [
  'own',
  'before',
  'after',
  'twoBefore',
  'twoAfter',
  'questionBefore',
  'answerAfter',
  'conversation',
  'speaker',
  'question',
  'shortQuestion',
  'time',
] as const satisfies readonly (keyof ContextWeights | 'own')[];
export type Ingredient = (typeof ingredients)[number];

export interface InConversation {
  /** Rows that hold a term, or lie within two places of one that does, and pass the filter. */
  readonly rows: readonly number[];
  readonly scores: Float64Array;
  /** What each of `ingredients` gave to the row, in their order; they add up to its score. */
  contributionsOf(row: number): Float64Array;
}

/** The rows with a term, and their neighbours up to two places away. */
function reachedRows(index: UserIndex, own: Float64Array, terms: readonly TermMatches[]): number[] {
  const { previous, next } = index.conversationRows;
  const seen = new Uint8Array(index.size);
  const reached: number[] = [];
  const reach = (row: number) => {
    if (row === noRow || seen[row] === 1) return;
    seen[row] = 1;
    reached.push(row);
  };
  for (const { rows } of terms) {
    for (const row of rows) {
      if (own[row] === 0 || seen[row] === 2) continue;
      reach(row);
      const [before, after] = [previous[row], next[row]];
      reach(before);
      reach(after);
      if (before !== noRow) reach(previous[before]);
      if (after !== noRow) reach(next[after]);
    }
  }
  return reached;
}

function bestOf(rows: readonly number[], measure: (row: number) => number): number {
  let best = 0;
  for (const row of rows) {
    const value = measure(row);
    if (value > best) best = value;
  }
  return best;
}

/**
 * Scores of memories as parts of their conversations. Own BM25 and conversation scores are divided by their best
 * among the rows that pass the filter; neighbours count whatever the filter says, but are always live.
 */
export function scoreInConversation({
  index,
  terms,
  own,
  passes,
  weights: w,
  periods,
}: InConversationInput): InConversation {
  const { previous, next } = index.conversationRows;
  const { conversation, traits, speaker } = index.columns;
  const rows = reachedRows(index, own, terms).filter(passes);
  const whole = conversationScores(index, terms);
  const ofConversation = (row: number) => whole.get(conversation[row]) ?? 0;
  const perOwn = 1 / (bestOf(rows, (row) => own[row]) || bestOf([...own.keys()], (row) => own[row]) || 1);
  const perConversation = 1 / (bestOf(rows, ofConversation) || 1);
  const speakers = index.speakersNamed(new Set(terms.map(({ term }) => term)));
  const x = (row: number) => (row === noRow ? 0 : own[row] * perOwn);
  const asks = (row: number) => row !== noRow && (traits[row] & documentTraits.question) !== 0;

  const timeFit = (row: number) =>
    Math.max(...periods.map((period) => closeness(period, index.orderTime(row))));

  const contribute = (row: number, parts: Float64Array): Float64Array => {
    const [before, after] = [previous[row], next[row]];
    const question = asks(row);
    parts[0] = x(row);
    parts[1] = w.before * x(before);
    parts[2] = w.after * x(after);
    parts[3] = before === noRow ? 0 : w.twoBefore * x(previous[before]);
    parts[4] = after === noRow ? 0 : w.twoAfter * x(next[after]);
    parts[5] = asks(before) ? w.questionBefore * x(before) : 0;
    parts[6] = question ? w.answerAfter * x(after) : 0;
    parts[7] = w.conversation * ofConversation(row) * perConversation;
    parts[8] = speakers.has(speaker[row]) ? w.speaker : 0;
    parts[9] = question ? w.question : 0;
    parts[10] = question && (traits[row] & documentTraits.short) !== 0 ? w.shortQuestion : 0;
    parts[11] = periods.length === 0 ? 0 : w.time * timeFit(row);
    return parts;
  };
  const scores = new Float64Array(index.size);
  const parts = new Float64Array(ingredients.length);
  for (const row of rows) scores[row] = contribute(row, parts).reduce((sum, part) => sum + part, 0);
  return { rows, scores, contributionsOf: (row) => contribute(row, new Float64Array(ingredients.length)) };
}
