import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { blockRows } from './context-block.ts';
import type { ScoredWithin } from './rows-to-score.ts';
import { addGiven } from './scatter-scores.ts';
import type { Summand } from './summands.ts';

const rated = new Float64Array(blockRows);

/**
 * The sums of all rows except their last digits, which depend on the order of
 * addition: all parts of signals that found rows are added at once, not part by part.
 * @returns by row; undefined for rows that are not scored
 */
export function estimatesOf(summands: readonly Summand[], within: ScoredWithin): Float64Array {
  const { view, rows } = within;
  const { conversation } = view.index.columns;
  const sums = view.arrays.numbers(view.size);
  addGiven(summands, within, sums);
  const ofConversation = sumsOfConversations(summands, view);
  if (ofConversation)
    for (let i = 0; i < rows.length; i++) sums[rows[i]] += ofConversation[conversation[rows[i]]];
  for (const summand of summands) addRated(summand, rows, sums);
  return sums;
}

/** Contribution of each conversation to its rows, by its number; undefined if there are none. */
function sumsOfConversations(summands: readonly Summand[], { index }: IndexView): Float64Array | undefined {
  let sums: Float64Array | undefined;
  for (const { part, column, factor, perScore } of summands) {
    if (!column || part !== 'conversation') continue;
    sums ??= new Float64Array(index.conversations.size);
    for (let c = 0; c < column.length; c++) sums[c] += factor * perScore * column[c];
  }
  return sums;
}

function addRated({ rate, factor }: Summand, rows: Int32Array, sums: Float64Array): void {
  if (!rate) return;
  for (let from = 0; from < rows.length; from += blockRows) {
    const block = rows.subarray(from, from + blockRows);
    rate(block, block.length, rated);
    for (let i = 0; i < block.length; i++) sums[block[i]] += factor * rated[i];
  }
}

const buckets = 2048;
/** Share of the largest sum; larger than differences by the order of addition. */
const tolerance = 1e-9;

/** Rows with the highest `count` sums, and more if many are near the last; in their order. */
export function highestOf(sums: Float64Array, { view, rows }: ScoredWithin, count: number): Int32Array {
  if (rows.length <= count) return rows;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows.length; i++) {
    const sum = sums[rows[i]];
    if (sum < least) least = sum;
    if (sum > most) most = sum;
  }
  const perBucket = buckets / (most - least || 1);
  const counts = new Int32Array(buckets + 1);
  for (let i = 0; i < rows.length; i++) counts[((sums[rows[i]] - least) * perBucket) | 0]++;
  let bucket = buckets;
  for (let above = counts[bucket]; above < count && bucket > 0; ) above += counts[--bucket];
  const from = least + bucket / perBucket - tolerance * Math.max(Math.abs(most), Math.abs(least), 1);
  const kept = view.arrays.rows(rows.length);
  let size = 0;
  for (let i = 0; i < rows.length; i++) if (sums[rows[i]] >= from) kept[size++] = rows[i];
  return kept.subarray(0, size);
}
