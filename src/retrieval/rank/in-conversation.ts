import type { TermMatches } from '../arms/keyword-arm.ts';
import { type ContextWeights, timesWords } from '../fuse/weights.ts';
import { noRow } from '../index/conversation-rows.ts';
import type { IndexView, Links } from '../index/index-view.ts';
import type { RowTest } from '../index/row-filter.ts';
import type { UserIndex } from '../index/user-index.ts';
import { documentTraits } from '../ports.ts';
import { closeness, type NamedPeriod } from '../time/named-periods.ts';
import { conversationScores } from './conversation-score.ts';
import { type MeaningScores, nearConversations } from './meaning.ts';

export interface InConversationInput {
  readonly view: IndexView;
  readonly terms: readonly TermMatches[];
  /** Terms of the query: a speaker all of whose name is among them is named. */
  readonly named: ReadonlySet<string>;
  /** Own BM25 by row, also of rows outside the filter; 0 in a place more than rows. */
  readonly own: Float64Array;
  readonly passes: RowTest;
  readonly weights: ContextWeights;
  /** Times that the query speaks of. */
  readonly periods: readonly NamedPeriod[];
  /** Absent where only words count. */
  readonly meaning?: MeaningScores;
  /** Sum of the idf of all words of the query: about the BM25 of a memory that held them all. */
  readonly allWords: number;
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
  'soft',
  'softBefore',
  'softAfter',
  'near',
  'nearBefore',
  'nearAfter',
  'nearConversation',
] as const satisfies readonly (keyof ContextWeights)[];
export type Ingredient = (typeof ingredients)[number];

export interface InConversation {
  /** Rows that hold a term, or lie within two places of one that does, and pass the filter. */
  readonly rows: readonly number[];
  readonly scores: Float64Array;
  /** What each of `ingredients` gave to the row, in their order; they add up to its score. */
  contributionsOf(row: number): Float64Array;
}

interface MeaningInput {
  readonly index: UserIndex;
  /** All of them pass. */
  readonly rows: readonly number[];
  readonly passes: RowTest;
  readonly weights: ContextWeights;
  readonly meaning: MeaningScores;
  /** Near words are in units of own BM25, where there is any. */
  readonly unit: number;
}

/** Writes what meaning gives to a row, with its neighbours before and after, behind the other parts. */
function meaningParts({ index, rows, passes, weights: w, meaning, unit }: MeaningInput) {
  const { near, nearRows, soft } = meaning;
  const { conversation } = index.columns;
  const whole = nearConversations(index, near, nearRows);
  const perNear = 1 / (bestOf(nearRows, (row) => (passes(row) ? near[row] : 0)) || 1);
  const perWhole = 1 / (bestOf(rows, (row) => whole[conversation[row]]) || 1);
  const perSoft = 1 / (unit || (soft && bestOf(meaning.softRows, (row) => soft[row])) || 1);
  // A place for rows that came while vectors were waited for, and one more than rows: "no neighbour".
  const softOf = new Float64Array(index.size + 1);
  if (soft) softOf.set(soft);
  return (row: number, before: number, after: number, parts: Float64Array): void => {
    parts[12] = w.soft * softOf[row] * perSoft;
    parts[13] = w.softBefore * softOf[before] * perSoft;
    parts[14] = w.softAfter * softOf[after] * perSoft;
    parts[15] = w.near * near[row] * perNear;
    parts[16] = w.nearBefore * near[before] * perNear;
    parts[17] = w.nearAfter * near[after] * perNear;
    parts[18] = w.nearConversation * whole[conversation[row]] * perWhole;
  };
}

/**
 * Where the best match holds few of the query's words, words say little: beside meaning they count for less. 0 would
 * give the best match a 1 whatever it holds, 1 the share of the query that it holds.
 */
const coveragePower = 0.6;

/** What own BM25 is divided by: the best, with meaning more where even the best lacks much of the query. */
function wordUnit(best: number, allWords: number, hasMeaning: boolean): number {
  if (!hasMeaning || best === 0) return best;
  return Math.max(best, best ** (1 - coveragePower) * allWords ** coveragePower);
}

/** Marks of rows. */
const reached = 1;
const expanded = 2;

/**
 * The rows with a term, their neighbours up to two places away, and those that meaning found, as far as they pass; rising:
 * what is kept of rows then lies side by side in memory, which halved the time of scoring 50,000.
 */
function rowsReached(
  size: number,
  { previous, next }: Links,
  terms: readonly TermMatches[],
  meaning: MeaningScores | undefined,
  passes: RowTest,
): number[] {
  const marks = new Uint8Array(size);
  const reach = (links: Int32Array, row: number) => {
    const near = links[row];
    if (near === noRow) return;
    marks[near] |= reached;
    if (links[near] !== noRow) marks[links[near]] |= reached;
  };
  for (const { rows } of terms) {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if ((marks[row] & expanded) !== 0) continue;
      marks[row] = reached | expanded;
      reach(previous, row);
      reach(next, row);
    }
  }
  if (meaning)
    for (const rows of [meaning.softRows, meaning.nearRows]) for (const row of rows) marks[row] |= reached;
  const found: number[] = [];
  for (let row = 0; row < size; row++) if (marks[row] !== 0 && passes(row)) found.push(row);
  return found;
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
 * Scores of memories as parts of their conversations. Own BM25 and conversation scores are in units of their best
 * among the rows that pass the filter; neighbours count whatever the filter says, but are always visible.
 */
export function scoreInConversation({
  view,
  terms,
  named,
  own,
  passes,
  weights: w,
  periods,
  meaning,
  allWords,
}: InConversationInput): InConversation {
  const { index } = view;
  const links = view.linksAround(
    meaning ? [...terms, { rows: meaning.softRows }, { rows: meaning.nearRows }] : terms,
  );
  const { previous, next } = links;
  const { conversation, traits, speaker } = index.columns;
  const rows = rowsReached(index.size, links, terms, meaning, passes);
  const whole = conversationScores(index, terms);
  const bestOwn = bestOf(rows, (row) => own[row]) || own.reduce((best, score) => Math.max(best, score), 0);
  const unit = wordUnit(bestOwn, allWords, meaning !== undefined);
  const perOwn = 1 / (unit || 1);
  const bestWhole = bestOf(rows, (row) => whole[conversation[row]]);
  const perConversation = (bestOwn * perOwn || 1) / (bestWhole || 1);
  const speakers = index.speakersNamed(named);
  const ofWords = timesWords(w, perOwn);
  // The place behind the last row stands for "no neighbour".
  const nobody = index.size;
  const neighbour = (links: Int32Array, row: number) =>
    row === nobody || links[row] === noRow ? nobody : links[row];
  const asks = (row: number) => row !== nobody && (traits[row] & documentTraits.question) !== 0;
  const timeFit = (row: number) =>
    Math.max(...periods.map((period) => closeness(period, index.orderTime(row))));

  const giveMeaning = meaning && meaningParts({ index, rows, passes, weights: w, meaning, unit });
  const contribute = (row: number, parts: Float64Array): number => {
    const before = neighbour(previous, row);
    const after = neighbour(next, row);
    const question = asks(row);
    parts[0] = ofWords.own * own[row];
    parts[1] = ofWords.before * own[before];
    parts[2] = ofWords.after * own[after];
    parts[3] = ofWords.twoBefore * own[neighbour(previous, before)];
    parts[4] = ofWords.twoAfter * own[neighbour(next, after)];
    parts[5] = asks(before) ? ofWords.questionBefore * own[before] : 0;
    parts[6] = question ? ofWords.answerAfter * own[after] : 0;
    parts[7] = w.conversation * whole[conversation[row]] * perConversation;
    parts[8] = speakers.size > 0 && speakers.has(speaker[row]) ? w.speaker : 0;
    parts[9] = question ? w.question : 0;
    parts[10] = question && (traits[row] & documentTraits.short) !== 0 ? w.shortQuestion : 0;
    parts[11] = periods.length === 0 ? 0 : w.time * timeFit(row);
    giveMeaning?.(row, before, after, parts);
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
