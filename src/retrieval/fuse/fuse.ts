import type { IndexView, Links } from '../index/index-view.ts';
import type { SearchPlan } from '../plan.ts';
import { type RowTest, rowsPassing } from '../row-test.ts';
import { asItIs, type Feature, featuresOf } from './features.ts';
import { blockRows, Places } from './places.ts';
import { allRows, rowsReached } from './reach.ts';
import { isFound, type Signal, type SignalSpec } from './signal.ts';
import type { Weights } from './weights.ts';

export interface FusionInput {
  readonly plan: Pick<SearchPlan, 'context' | 'matchesAll' | 'factors'>;
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
  /** By row. */
  readonly scores: Float64Array;
  readonly signals: readonly Signal[];
  /** Names in `branchScores`. */
  readonly groups: readonly string[];
  readonly features: readonly Feature[];
  /** For each of these rows, one after the other, what each feature gave: they add up to the row's score. */
  readonly valuesOf: (rows: readonly number[]) => Float64Array;
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
  const scores = new Float64Array(view.size);
  for (let from = 0; from < rows.length; from += blockRows) {
    const count = places.fill(view, links, rows, from);
    sums.fill(0, 0, count);
    for (const feature of features) addFeature(feature, count);
    for (let i = 0; i < count; i++) scores[rows[from + i]] = sums[i];
  }
  const valuesOf = (of: readonly number[]) => valuesOfRows(of, features, view, links);
  return { rows, scores, signals, groups: groupsOf(asked), features, valuesOf };
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
