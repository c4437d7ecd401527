import { isSemanticSignal } from '../../arms/semantic-arm.ts';
import type { SearchMethod } from '../../request.ts';
import { bestRows } from '../../scores/sort-orders.ts';
import { featuresOf } from './features.ts';
import type { JudgedSearch } from './judged-search.ts';
import { type RelevanceModel, relevanceOf } from './relevance.ts';
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
  const { rows, scores } = search.last;
  const { index } = search.view;
  const firstTen = bestRows(rows, comparedRanks, index, scores);
  const bestScores = firstTen.map((row) => scores[row]);
  const features = featuresOf({ ...search, bestScores });
  const model = relevanceWeights[modelOf(search, method)];
  const of = (asked: readonly number[]) =>
    Float64Array.from(features(asked), (values) => relevanceOf(model, values));
  const best = of(firstTen);
  return {
    best: best.reduce((most, relevance) => Math.max(most, relevance), 0),
    of,
    reaching: (least) => {
      if (least <= 0) return rows;
      const judged = bestRows(rows, judgedMax, index, scores);
      const relevance = of(judged);
      return judged.filter((_, i) => relevance[i] >= least);
    },
  };
}

function modelOf({ last }: Pick<JudgedSearch, 'last'>, method: SearchMethod): RelevanceModel {
  const near = last.signals.find(isSemanticSignal)?.near;
  if (method === 'keyword' || !near) return 'keyword';
  const by = method === 'hybrid' && !last.network ? 'sum' : method;
  return near.isOfEncoder ? `${by}OfEncoder` : by;
}
