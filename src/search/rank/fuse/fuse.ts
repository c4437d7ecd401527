import { type RowTest, rowsPassing } from '../../../search-index/columns/row-test.ts';
import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import { type FoundSignal, isFound, type Signal, type SignalSpec } from '../../arms/signal.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { estimatesOf, highestOf } from './estimate.ts';
import { asItIs, type Feature, featuresOf } from './features.ts';
import { blockRows, Places } from './places.ts';
import { allRows, rowsReached } from './reach.ts';
import type { ScoredWithin } from './scored-within.ts';
import type { Weights } from './weights.ts';

export interface FusionInput {
  readonly plan: Pick<
    SearchPlan,
    'context' | 'matchesAll' | 'factors' | 'sortBy' | 'order' | 'temporalMode' | 'offset' | 'limit'
  >;
  readonly view: IndexView;
  readonly passes: RowTest;
  /** Signals of the arms that were run, including failed ones. */
  readonly asked: readonly SignalSpec[];
  readonly signals: readonly Signal[];
  readonly weights: Weights;
}

/** The matches of a search and their ranking, with the data for explanations. */
export interface Fused {
  /** In no fixed order. */
  readonly rows: ArrayLike<number>;
  /**
   * By row; exact to the last digit for at least the best 1,000 and twice the requested number. Lower scores
   * may differ in the last digits if the best are estimated first. Undefined for rows that are no match.
   */
  readonly scores: Float64Array;
  readonly signals: readonly Signal[];
  /** Names in `branchScores`. */
  readonly groups: readonly string[];
  readonly features: readonly Feature[];
  /** The contribution of each feature to each of these rows, row by row: they add up to the row's score. */
  readonly valuesOf: (rows: readonly number[]) => Float64Array;
  /** Present if a network reordered the best of the weighted sum. */
  readonly reranked?: Reranked;
}

/** How well candidates and their neighbours know the words of a query, apart from names of speakers. */
export interface KnownWords {
  /**
   * Mean nearness (cosine, 0 to 1) of the two most informative
   * words, each to the nearest word of a candidate.
   */
  readonly rarest: number;
  /** Maximum over words of weight times distance from every word of the candidates. */
  readonly missing: number;
}

/** Result of a network for the best matches of a weighted sum. */
export interface Reranked {
  /** The matches before the reordering. */
  readonly sum: Fused;
  /**
   * The network's raw score of a match; matches that it did
   * not score get the score of the last one that it did.
   */
  readonly scoreOf: (row: number) => number;
  /** A feature of a match as given to the network; 0 for matches that it did not score. */
  readonly valueOf: (row: number, feature: string) => number;
  readonly known: KnownWords;
}

/** Shared by all searches: filling and reading a block is synchronous. */
const places = new Places();
const sums = new Float64Array(blockRows);
const rated = new Float64Array(blockRows);

/** Scores from the results of the arms: pure, equal to the last digit for equal input. */
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
