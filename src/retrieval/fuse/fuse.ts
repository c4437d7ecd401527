import type { IndexView, Links } from '../index/index-view.ts';
import type { SearchPlan } from '../plan.ts';
import { type RowTest, rowsPassing } from '../row-test.ts';
import { estimatesOf, highestOf } from './estimate.ts';
import { asItIs, type Feature, featuresOf } from './features.ts';
import { blockRows, Places } from './places.ts';
import { allRows, rowsReached } from './reach.ts';
import type { ScoredWithin } from './scored-within.ts';
import { type FoundSignal, isFound, type Signal, type SignalSpec } from './signal.ts';
import type { Weights } from './weights.ts';

export interface FusionInput {
  readonly plan: Pick<
    SearchPlan,
    'context' | 'matchesAll' | 'factors' | 'sortBy' | 'order' | 'temporalMode' | 'offset' | 'limit'
  >;
  readonly view: IndexView;
  readonly passes: RowTest;
  /** Of the arms that were asked, those that failed included. */
  readonly asked: readonly SignalSpec[];
  readonly signals: readonly Signal[];
  readonly weights: Weights;
}

/** The matches of a search and how they rank, with what an explanation needs. */
export interface Fused {
  /** In no fixed order. */
  readonly rows: ArrayLike<number>;
  /**
   * By row, to the last digit for the best 1,000 at least, and twice as many as are asked for; further down the last digits
   * may differ, where the best are asked for first. Of a row that is no match it says nothing.
   */
  readonly scores: Float64Array;
  readonly signals: readonly Signal[];
  /** Names in `branchScores`. */
  readonly groups: readonly string[];
  readonly features: readonly Feature[];
  /** For each of these rows, one after the other, what each feature gave: they add up to the row's score. */
  readonly valuesOf: (rows: readonly number[]) => Float64Array;
  /** Where a network has put the best of a weighted sum in another order. */
  readonly reranked?: Reranked;
}

/** How far the words of a query are known to its candidates and to what is next to them; names of speakers aside. */
export interface KnownWords {
  /** Nearness of the two words that say most, each to the nearest word of any of them: a mean of cosines, 0 to 1. */
  readonly rarest: number;
  /** The most that any word says, times how far it is from every word of them. */
  readonly missing: number;
}

/** What a network made of the best matches of a weighted sum. */
export interface Reranked {
  /** As it was before. */
  readonly sum: Fused;
  /** What the network gave to a match, neither scaled nor shifted; to one that it was not given, what the last of the others got. */
  readonly scoreOf: (row: number) => number;
  /** A feature of a match as the network was given it; 0 for a match that it was not given. */
  readonly valueOf: (row: number, feature: string) => number;
  readonly known: KnownWords;
}

/** One at a time: nothing waits between the filling of a block and the reading of it. */
const places = new Places();
const sums = new Float64Array(blockRows);
const rated = new Float64Array(blockRows);

/** Scores from what the arms found: pure, the same for the same input to the last digit. */
export function fuse(input: FusionInput): Fused {
  const { plan, view, passes, asked, weights } = input;
  const counts = (spec: SignalSpec) => plan.context || !spec.needsContext;
  const signals = input.signals.filter(({ spec }) => counts(spec));
  const found = signals.filter(isFound);
  const isJoined = asked.filter(({ via, isApart }) => via !== undefined && !isApart).length > 1;
  const [only] = found;
  // Alone there is nothing to weigh it against: the score is BM25 itself.
  if (!plan.context && !isJoined && signals.length === 1 && only) {
    const features = [asItIs(only)];
    const valuesOf = (of: readonly number[]) => valuesOfRows(of, features, view, undefined);
    const rows = rowsPassing(only.rows, passes);
    return { rows, scores: only.scores, signals, groups: [only.spec.group], features, valuesOf };
  }
  const every = plan.matchesAll ? allRows(view, passes) : undefined;
  const links = plan.context ? view.linksAround(every ? [...found, { rows: every }] : found) : undefined;
  const rows = every ?? rowsReached(view, found, passes, links);
  const features = featuresOf({ plan, view, signals, weights }, { rows, passes, isJoined });
  const scores = scoresOf(features, { view, rows, links }, found, plan);
  const valuesOf = (of: readonly number[]) => valuesOfRows(of, features, view, links);
  return { rows, scores, signals, groups: groupsOf(asked), features, valuesOf };
}

/** Of the best so many have scores to the last digit, at least: more than any rule looks at. */
const exactMin = 1000;
/** Found rows for each row to be scored: beyond, a row is better off looking around itself. */
const foundPerRow = 2;

/** All to the last digit where any may be answered, else the best; the others then but for their last digits. */
function scoresOf(
  features: readonly Feature[],
  within: ScoredWithin,
  found: readonly FoundSignal[],
  { sortBy, order, temporalMode, offset, limit }: FusionInput['plan'],
): Float64Array {
  const { view, rows } = within;
  const isBestFirst = sortBy === 'relevance' && order === 'desc' && temporalMode !== 'evolution';
  const exact = Math.max(exactMin, 2 * (offset + limit));
  const givers = found.reduce((sum, signal) => sum + signal.rows.length, 0);
  if (!isBestFirst || rows.length <= exact || givers > foundPerRow * rows.length) {
    const scores = view.arrays.numbers(view.size);
    writeScores(features, within, rows, scores);
    return scores;
  }
  const scores = estimatesOf(features, within);
  writeScores(features, within, highestOf(scores, within, exact), scores);
  return scores;
}

/** Writes the scores of some of the rows. */
function writeScores(
  features: readonly Feature[],
  { view, links }: ScoredWithin,
  rows: Int32Array,
  scores: Float64Array,
): void {
  for (let from = 0; from < rows.length; from += blockRows) {
    const count = places.fill(view, links, rows, from);
    sums.fill(0, 0, count);
    for (const feature of features) addFeature(feature, count);
    for (let i = 0; i < count; i++) scores[rows[from + i]] = sums[i];
  }
}

function groupsOf(asked: readonly SignalSpec[]): string[] {
  return [...new Set(asked.flatMap(({ group, contextGroup = group }) => [group, contextGroup]))];
}

/** Adds what a feature gives to each of the block's sums. */
function addFeature({ part, factor, perScore, column, rate }: Feature, count: number): void {
  if (column) {
    addColumn(column, places.of[part], count, factor, perScore);
    return;
  }
  rate?.(places.of.self, count, rated);
  for (let i = 0; i < count; i++) sums[i] += factor * rated[i];
}

function addColumn(
  column: Float64Array,
  at: Int32Array,
  count: number,
  factor: number,
  perScore: number,
): void {
  for (let i = 0; i < count; i++) sums[i] += factor * column[at[i]] * perScore;
}

function valuesOfRows(
  rows: readonly number[],
  features: readonly Feature[],
  view: IndexView,
  links: Links | undefined,
): Float64Array {
  const values = new Float64Array(rows.length * features.length);
  for (let from = 0; from < rows.length; from += blockRows) {
    const count = places.fill(view, links, rows, from);
    for (let f = 0; f < features.length; f++) {
      sums.fill(0, 0, count);
      addFeature(features[f], count);
      for (let i = 0; i < count; i++) values[(from + i) * features.length + f] = sums[i];
    }
  }
  return values;
}
