import type { TermMatches } from '../arms/keyword-arm.ts';
import { noRow } from '../index/conversation-rows.ts';
import type { Links, Moment } from '../index/moment.ts';
import type { RowTest } from '../index/row-filter.ts';
import { documentTraits } from '../ports.ts';
import { closeness, type NamedPeriod } from '../time/named-periods.ts';
import { conversationScores } from './conversation-score.ts';
import type { ContextWeights } from './weights.ts';

export interface InConversationInput {
  readonly moment: Moment;
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
function reachedRows(size: number, { previous, next }: Links, terms: readonly TermMatches[]): number[] {
  const seen = new Uint8Array(size);
  const reached: number[] = [];
  const reach = (row: number) => {
    if (row === noRow || seen[row] === 1) return;
    seen[row] = 1;
    reached.push(row);
  };
  const expanded = new Uint8Array(size);
  for (const { rows } of terms) {
    for (const row of rows) {
      if (expanded[row] === 1) continue;
      expanded[row] = 1;
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
 * among the rows that pass the filter; neighbours count whatever the filter says, but are always visible.
 */
export function scoreInConversation({
  moment,
  terms,
  own,
  passes,
  weights: w,
  periods,
}: InConversationInput): InConversation {
  const { index } = moment;
  const links = moment.linksAround(terms);
  const { previous, next } = links;
  const { conversation, traits, speaker } = index.columns;
  const rows = reachedRows(index.size, links, terms).filter(passes);
  const whole = conversationScores(index, terms);
  const perOwn = 1 / (bestOf(rows, (row) => own[row]) || bestOf([...own.keys()], (row) => own[row]) || 1);
  const perConversation = 1 / (bestOf(rows, (row) => whole[conversation[row]]) || 1);
  const speakers = index.speakersNamed(new Set(terms.map(({ term }) => term)));
  // Own BM25 in units of the best; the place behind the last row stands for "no neighbour".
  const x = new Float64Array(index.size + 1);
  for (const { rows: holding } of terms) for (const row of holding) x[row] = own[row] * perOwn;
  const nobody = index.size;
  const neighbour = (links: Int32Array, row: number) =>
    row === nobody || links[row] === noRow ? nobody : links[row];
  const asks = (row: number) => row !== nobody && (traits[row] & documentTraits.question) !== 0;
  const timeFit = (row: number) =>
    Math.max(...periods.map((period) => closeness(period, index.orderTime(row))));

  const contribute = (row: number, parts: Float64Array): number => {
    const before = neighbour(previous, row);
    const after = neighbour(next, row);
    const question = asks(row);
    parts[0] = x[row];
    parts[1] = w.before * x[before];
    parts[2] = w.after * x[after];
    parts[3] = w.twoBefore * x[neighbour(previous, before)];
    parts[4] = w.twoAfter * x[neighbour(next, after)];
    parts[5] = asks(before) ? w.questionBefore * x[before] : 0;
    parts[6] = question ? w.answerAfter * x[after] : 0;
    parts[7] = w.conversation * whole[conversation[row]] * perConversation;
    parts[8] = speakers.size > 0 && speakers.has(speaker[row]) ? w.speaker : 0;
    parts[9] = question ? w.question : 0;
    parts[10] = question && (traits[row] & documentTraits.short) !== 0 ? w.shortQuestion : 0;
    parts[11] = periods.length === 0 ? 0 : w.time * timeFit(row);
    let sum = 0;
    for (let i = 0; i < parts.length; i++) sum += parts[i];
    return sum;
  };
  const scores = new Float64Array(index.size);
  const parts = new Float64Array(ingredients.length);
  for (const row of rows) scores[row] = contribute(row, parts);
  const contributionsOf = (row: number) => {
    const kept = new Float64Array(ingredients.length);
    contribute(row, kept);
    return kept;
  };
  return { rows, scores, contributionsOf };
}
