import { type RowTest, rowsPassing } from '../../../search-index/columns/row-set.ts';
import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';
import { type FoundSignal, isFound, type Signal, type SignalSpec } from '../../arms/signal.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { blockRows, Places } from './context-block.ts';
import { estimatesOf, highestOf } from './estimate.ts';
import { allRows, rowsReached, type ScoredWithin } from './rows-to-score.ts';
import { asItIs, type Summand, summandsOf } from './summands.ts';
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
  /** Matches, in no fixed order. */
  readonly rows: ArrayLike<number>;
  /**
   * Score by row, exact to the last digit for at least the best 1,000 and
   * twice the requested number. Lower scores may differ in the last digits
   * if the best are estimated first. Undefined for rows that do not match.
   */
  readonly scores: Float64Array;
  readonly signals: readonly Signal[];
  /** Names in `branchScores`. */
  readonly groups: readonly string[];
  readonly summands: readonly Summand[];
  /**
   * Contribution of each summand to each of these rows, row
   * by row; the contributions to a row add up to its score.
   */
  readonly valuesOf: (rows: readonly number[]) => Float64Array;
  /** Present if a network reordered the best of the weighted sum. */
  readonly network?: NetworkOutput;
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

/** Output of a network for the best matches of a weighted sum. */
export interface NetworkOutput {
  /**
   * The network's raw score of a match; matches that it did
   * not score get the score of the last one that it did.
   */
  readonly scoreOf: (row: number) => number;
  /** A summand of a match as given to the network; 0 for matches that it did not score. */
  readonly valueOf: (row: number, summand: string) => number;
  readonly known: KnownWords;
  /** Undefined for a match that it did not score. */
  readonly traitsOf: (row: number) => TextTraits | undefined;
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
  // A single signal needs no weighing: the score is BM25 itself.
  if (!plan.context && !isJoined && signals.length === 1 && only) {
    const summands = [asItIs(only)];
    const valuesOf = (of: readonly number[]) => valuesOfRows(of, summands, view, undefined);
    const rows = rowsPassing(only.rows, passes);
    return { rows, scores: only.scores, signals, groups: [only.spec.group], summands, valuesOf };
  }
  const every = plan.matchesAll ? allRows(view, passes) : undefined;
  const links = plan.context ? view.linksAround(every ? [...found, { rows: every }] : found) : undefined;
  const rows = every ?? rowsReached(view, found, passes, links);
  const summands = summandsOf({ plan, view, signals, weights }, { rows, passes, isJoined });
  const scores = scoresOf(summands, { view, rows, links }, found, plan);
  const valuesOf = (of: readonly number[]) => valuesOfRows(of, summands, view, links);
  return { rows, scores, signals, groups: groupsOf(asked), summands, valuesOf };
}

/** Minimum number of best rows whose scores are exact to the last digit: more than any rule looks at. */
const exactMin = 1000;
/** Number of found rows for each row to score above which scoring each row by itself is faster. */
const foundPerRow = 2;

/**
 * Exact scores of all rows if the response may contain any of them. Otherwise exact scores
 * of the best rows, and estimates of the others that differ in their last digits only.
 */
function scoresOf(
  summands: readonly Summand[],
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
    writeScores(summands, within, rows, scores);
    return scores;
  }
  const scores = estimatesOf(summands, within);
  writeScores(summands, within, highestOf(scores, within, exact), scores);
  return scores;
}

/** Writes the scores of some of the rows. */
function writeScores(
  summands: readonly Summand[],
  { view, links }: ScoredWithin,
  rows: Int32Array,
  scores: Float64Array,
): void {
  for (let from = 0; from < rows.length; from += blockRows) {
    const count = places.fill(view, links, rows, from);
    sums.fill(0, 0, count);
    for (const summand of summands) addSummand(summand, count);
    for (let i = 0; i < count; i++) scores[rows[from + i]] = sums[i];
  }
}

function groupsOf(asked: readonly SignalSpec[]): string[] {
  return [...new Set(asked.flatMap(({ group, contextGroup = group }) => [group, contextGroup]))];
}

/** Adds a summand's contribution to the sum of each row of the block. */
function addSummand({ part, factor, perScore, column, rate }: Summand, count: number): void {
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
  summands: readonly Summand[],
  view: IndexView,
  links: Links | undefined,
): Float64Array {
  const values = new Float64Array(rows.length * summands.length);
  for (let from = 0; from < rows.length; from += blockRows) {
    const count = places.fill(view, links, rows, from);
    for (let f = 0; f < summands.length; f++) {
      sums.fill(0, 0, count);
      addSummand(summands[f], count);
      for (let i = 0; i < count; i++) values[(from + i) * summands.length + f] = sums[i];
    }
  }
  return values;
}

/** Contribution of a rescorer to found rows; `scores` by row. */
interface NewSummand extends Pick<Summand, 'signal' | 'group' | 'phrase' | 'factor'> {
  readonly scores: Float64Array;
}

/** The same matches after a rescorer added its contribution, in scores and explanations. */
export function withSummand(
  fused: Fused,
  { arrays }: Pick<IndexView, 'arrays'>,
  { scores: column, factor, ...named }: NewSummand,
): Fused {
  const scores = arrays.copyOf(fused.scores);
  for (let i = 0; i < fused.rows.length; i++) scores[fused.rows[i]] += factor * column[fused.rows[i]];
  const summand: Summand = { ...named, part: 'self', factor, perScore: 1, column, rate: undefined };
  const count = fused.summands.length;
  return {
    ...fused,
    scores,
    groups: [...new Set([...fused.groups, named.group])],
    summands: [...fused.summands, summand],
    valuesOf: (rows) => {
      const given = fused.valuesOf(rows);
      const values = new Float64Array(rows.length * (count + 1));
      for (const [i, row] of rows.entries()) {
        values.set(given.subarray(i * count, (i + 1) * count), i * (count + 1));
        values[i * (count + 1) + count] = factor * column[row];
      }
      return values;
    },
  };
}
