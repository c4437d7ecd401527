import { bestScores } from '../rank/best-scores.ts';
import { firstRows } from '../rank/order.ts';
import { byScore } from '../rank/sort-orders.ts';
import type { SearchMethod } from '../request.ts';
import { featuresOf, type JudgedSearch } from './features.ts';
import { relevanceOf } from './relevance.ts';
import { relevanceWeights } from './weights.ts';

/** Matches that a lowest relevance is asked of, the best; further down there is hardly one. */
const judgedMax = 200;

export const comparedRanks = 10;

/** How relevant the matches of one search are. */
export interface Judge {
  /** The highest of the best ten matches; 0 where nothing matched. */
  readonly best: number;
  /** By place of each row. */
  of(rows: readonly number[]): Float64Array;
  /** All matches for 0, else those of the best 200 that are at least as relevant. */
  reaching(least: number): ArrayLike<number>;
}

export function judgeRows(search: Omit<JudgedSearch, 'bestScores'>, method: SearchMethod): Judge {
  const { rows, scores } = search.fused;
  const highest = bestScores(rows, scores, comparedRanks);
  const features = featuresOf({ ...search, bestScores: highest });
  const model = relevanceWeights[method];
  const of = (asked: readonly number[]) =>
    Float64Array.from(features(asked), (values) => relevanceOf(model, values));
  const bestRows = (among: ArrayLike<number>, count: number) =>
    firstRows(among, Math.min(count, among.length), byScore(search.view.index, scores));
  const best = of(bestRows(rowsFrom(highest.at(-1) ?? 0, rows, scores), comparedRanks));
  return {
    best: best.reduce((most, relevance) => Math.max(most, relevance), 0),
    of,
    reaching: (least) => {
      if (least <= 0) return rows;
      const judged = bestRows(rows, judgedMax);
      const relevance = of(judged);
      return judged.filter((_, i) => relevance[i] >= least);
    },
  };
}

/** Rows that score at least so much: two loops over the scores cost less than ordering all rows. */
function rowsFrom(least: number, rows: ArrayLike<number>, scores: Float64Array): number[] {
  const kept: number[] = [];
  for (let i = 0; i < rows.length; i++) if (scores[rows[i]] >= least) kept.push(rows[i]);
  return kept;
}
