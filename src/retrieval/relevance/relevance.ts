import { type FeatureValues, relevanceFeatures, similarityMin } from './features.ts';

/** What the features of one method weigh, and where the sum begins. */
export interface RelevanceWeights {
  readonly bias: number;
  readonly weights: FeatureValues;
}

/** What has no word of the query and is not near in meaning, but words of near meaning: never as often right as not. */
const nearWordsAloneMax = 0.4;

/** 0 to 1, four digits: 0.5 where a hit like it is as often right as not. A logistic model. */
export function relevanceOf({ bias, weights }: RelevanceWeights, values: FeatureValues): number {
  let sum = bias;
  for (const name of relevanceFeatures) sum += weights[name] * values[name];
  const relevance = 1 / (1 + Math.exp(-sum));
  const isByNearWords = values.coverage === 0 && values.similarity <= similarityMin;
  const most = isByNearWords ? Math.min(relevance, nearWordsAloneMax) : relevance;
  return Math.round(most * 10_000) / 10_000;
}
