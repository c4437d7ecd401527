import type { CosineByRow } from '../arms/semantic-arm.ts';
import type { RowTest } from '../index/row-filter.ts';
import type { UserIndex } from '../index/user-index.ts';

/** What the meaning of the query gives to rows, before weights; all rows that are not named have 0. */
export interface MeaningScores {
  /** Near words, in units of own BM25, of the rows there were when they were asked for; undefined where words are not asked about. */
  readonly soft: Float64Array | undefined;
  readonly softRows: readonly number[];
  /** Cosine above the floor of those that reach the threshold. */
  readonly near: Float64Array;
  readonly nearRows: readonly number[];
}

/** Two thirds of the cosine at which two texts are plausibly related: what any two texts share gives nothing. */
const floorShare = 2 / 3;
const bestOfConversation = 3;

export interface NearnessInput {
  readonly nearness: CosineByRow;
  readonly halfSimilarityAt: number;
  /** Cosine that a row must reach; -1: none. */
  readonly least: number;
  readonly passes: RowTest;
}

/** @returns by row, with a place more than rows: "no neighbour" */
export function nearScores(
  { size }: UserIndex,
  { nearness, halfSimilarityAt, least, passes }: NearnessInput,
): { readonly near: Float64Array; readonly nearRows: number[] } {
  const near = new Float64Array(size + 1);
  const nearRows: number[] = [];
  for (const [row, cosine] of nearness) {
    if (cosine < least) continue;
    near[row] = Math.max(0, cosine - floorShare * halfSimilarityAt);
    nearRows.push(row);
  }
  if (least > -1) return { near, nearRows };
  // Everything reaches a threshold of 0, whether or not it was near enough to be looked at.
  const all = Array.from({ length: size }, (_, row) => row).filter((row) => passes(row));
  return { near, nearRows: all };
}

/** For each number of a conversation the mean of the three best of its rows; those it lacks count as 0. */
export function nearConversations(
  { columns, conversations }: UserIndex,
  near: Float64Array,
  rows: readonly number[],
): Float64Array {
  // Of each conversation the best so far, falling: lists for each, sorted, took a seventh of what a search allocates.
  const best = new Float64Array(conversations.size * bestOfConversation);
  for (const row of rows) {
    const from = columns.conversation[row] * bestOfConversation;
    let value = near[row];
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
