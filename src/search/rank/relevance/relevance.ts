import type { SearchMethod } from '../../request.ts';
import { type FeatureValues, type RelevanceFeature, similarityMin } from './features.ts';

/** What the features of one model weigh, and where the sum begins. */
export interface RelevanceWeights {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<RelevanceFeature, number>>>;
}

/**
 * How results were ranked: by a search method (`sum` a hybrid search whose best no network ordered), and by vectors of the encoder or, where
 * nothing is said, of the static model or of none.
 */
export type RelevanceModel = RankedBy | 'semanticOfEncoder' | 'hybridOfEncoder' | 'sumOfEncoder';
export type RankedBy = SearchMethod | 'sum';

/**
 * What has no word of the query, nor those around it, and is not near in meaning, but words of near meaning: never as often right
 * as not.
 */
const nearWordsAloneMax = 0.4;

/** 0 to 1, four digits: 0.5 where a hit like it is as often right as not. A logistic model. */
export function relevanceOf({ bias, weights }: RelevanceWeights, values: FeatureValues): number {
  let sum = bias;
  for (const [name, weight] of Object.entries(weights)) sum += weight * values[name as RelevanceFeature];
  const relevance = 1 / (1 + Math.exp(-sum));
  const { coverage, around, similarity } = values;
  const isByNearWords = coverage === 0 && around <= 0 && similarity <= similarityMin;
  const most = isByNearWords ? Math.min(relevance, nearWordsAloneMax) : relevance;
  return Math.round(most * 10_000) / 10_000;
}
