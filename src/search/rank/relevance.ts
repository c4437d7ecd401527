import { isSemanticSignal } from '../arms/semantic-arm.ts';
import type { SearchMethod } from '../request.ts';
import { bestRows } from '../scores/order.ts';
import { type RelevanceModel, type RelevanceWeights, relevanceModels } from './ranking-models.ts';
import {
  type JudgedSearch,
  type RelevanceFeature,
  type RelevanceValues,
  relevanceValuesOf,
  similarityMin,
} from './relevance-features.ts';

/** Number of best matches tested against a minimum relevance: later ones hardly ever reach one. */
export const judgedMax = 200;

export const comparedRanks = 10;

/** Relevance of the matches of one search. */
export interface Judge {
  /** The highest of the best ten matches; 0 for no match. */
  readonly best: number;
  /** Relevance of each of the rows, in their order. */
  of(rows: readonly number[]): Float64Array;
  /** The best 200 matches that have at least this relevance; all matches for 0. */
  reaching(least: number): ArrayLike<number>;
}

export function judgeRows(search: Omit<JudgedSearch, 'best'>, method: SearchMethod): Judge {
  const { rows, scores } = search.last;
  const { index } = search.view;
  const firstTen = bestRows(rows, comparedRanks, index, scores);
  const valuesOf = relevanceValuesOf({ ...search, best: firstTen });
  const model = relevanceModels()[modelOf(search, method)];
  const of = (judged: readonly number[]) => {
    const relevance = new Float64Array(judged.length);
    let i = 0;
    for (const values of valuesOf(judged)) relevance[i++] = relevanceOf(model, values);
    return relevance;
  };
  return {
    best: of(firstTen).reduce((most, relevance) => Math.max(most, relevance), 0),
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

/**
 * Maximum relevance of a memory that has no word of the query and whose
 * text is not similar to it: only synonyms or its surroundings matched.
 */
const withoutOwnEvidenceMax = 0.4;

/** Relevance from 0 to 1, four digits. At 0.5, half of the hits with these features are right. */
export function relevanceOf({ bias, weights }: RelevanceWeights, values: RelevanceValues): number {
  let sum = bias;
  // Without a list of the weights for each result.
  for (const name in weights)
    sum += (weights[name as RelevanceFeature] ?? 0) * values[name as RelevanceFeature];
  const relevance = 1 / (1 + Math.exp(-sum));
  const hasOwnEvidence = values.coverage > 0 || values.similarity > similarityMin;
  const most = hasOwnEvidence ? relevance : Math.min(relevance, withoutOwnEvidenceMax);
  return Math.round(most * 10_000) / 10_000;
}
