import type { RankedBy } from '../../src/search/rank/ranking-models.ts';
import {
  type RelevanceFeature,
  type RelevanceWeights,
  relevanceOf,
  rerankedFeatures,
  sumFeatures,
} from '../../src/search/rank/relevance.ts';
import type { Asked, Example } from './examples.ts';
import { fitLogistic, type Weighed, type WeighedPair } from './fit-logistic.ts';

/**
 * Total weight of all results of a kind, regardless of their number. Direct questions count most, because
 * agents ask like this; the questions of the talks use other words on purpose. `mistaken`: a wrong result of
 * a question whose answer is stored; `absent`: a result for something that was never stored.
 */
const shares = {
  'direct right': 0.184,
  'direct mistaken': 0.24,
  'direct absent': 0.243,
  'talks right': 0.092,
  'talks mistaken': 0.083,
  'talks absent': 0.122,
  'small right': 0.028,
  'small mistaken': 0.046,
  'small absent': 0.166,
} as const;
type Kind = keyof typeof shares;
type QuestionSet = 'direct' | 'talks' | 'small';

/** Total weight of the pairs of a right and a wrong result, each question counting the same. */
const pairShares = { direct: 0.6, talks: 0.05, small: 0.2 } as const;

/** Penalty for each result that is fitted on. */
const ridge = 0.0075;

/** Relevance is .5 where this share of results is right: a wrong "it is known" is worse than a careful one. */
const rightAtHalf = 0.55;

/** Sets that are only measured, never fitted on. */
const locked: readonly Asked[] = ['direct-locked', 'small-locked', 'locked', 'fresh'];
/** Number of best results to fit on for each question about something never stored; all of them are wrong. */
const absentHits = 2;

/** The results of one question with their relevance. */
export interface Judged {
  readonly example: Example;
  readonly relevance: readonly number[];
}

function setOf({ asked }: Example): QuestionSet {
  if (asked === 'direct' || asked === 'direct-locked') return 'direct';
  return asked === 'small' || asked === 'small-locked' ? 'small' : 'talks';
}

function kindOf(example: Example, isRight: boolean): Kind {
  const set = setOf(example);
  if (isRight) return `${set} right`;
  return example.isStored ? `${set} mistaken` : `${set} absent`;
}

/** Fits the weights to all results of one method. */
export function fitRelevance(examples: readonly Example[], method: RankedBy): RelevanceWeights {
  const features = method === 'hybrid' ? rerankedFeatures : sumFeatures;
  const fittedOn = examples.filter(({ asked }) => !locked.includes(asked));
  const results = fittedOn.flatMap((example) =>
    example.hits
      .slice(0, example.isStored || setOf(example) !== 'talks' ? undefined : absentHits)
      .map(({ isRight, values }) => ({ isRight, values, kind: kindOf(example, isRight) })),
  );
  const counts = new Map<Kind, number>();
  for (const { kind } of results) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const weighed = results.map(
    ({ isRight, values, kind }): Weighed => ({
      values: features.map((name) => values[name]),
      isRight,
      weight: (results.length * shares[kind]) / (counts.get(kind) ?? 1),
    }),
  );
  const pairs = pairsOf(fittedOn, features, results.length);
  const { bias, weights } = fitLogistic(weighed, pairs, ridge * results.length);
  const named = features.map((name, j) => [name, digits(weights[j])]);
  const caution = Math.log(rightAtHalf / (1 - rightAtHalf));
  return { bias: digits(bias - caution), weights: Object.fromEntries(named) };
}

/** Each right result of a question with each wrong one. */
function pairsOf(
  examples: readonly Example[],
  features: readonly RelevanceFeature[],
  results: number,
): WeighedPair[] {
  const ordered = examples
    .map((example) => ({
      set: setOf(example),
      right: example.hits.filter(({ isRight }) => isRight),
      wrong: example.hits.filter(({ isRight }) => !isRight),
    }))
    .filter(({ right, wrong }) => right.length > 0 && wrong.length > 0);
  const counts = new Map<QuestionSet, number>();
  for (const { set } of ordered) counts.set(set, (counts.get(set) ?? 0) + 1);
  return ordered.flatMap(({ set, right, wrong }) => {
    const ofQuestion = (results * pairShares[set]) / (counts.get(set) ?? 1);
    const weight = ofQuestion / (right.length * wrong.length);
    return right.flatMap((a) =>
      wrong.map((b) => ({ difference: features.map((name) => a.values[name] - b.values[name]), weight })),
    );
  });
}

/** Rounds to five digits, so that the last bit of a sum does not change the result. */
function digits(value: number): number {
  return Math.round(value * 100_000) / 100_000 || 0;
}

/** Judges the results of each user by weights fitted to the other users and their questions. */
export function judgeLeftOut(examples: readonly Example[], method: RankedBy): Judged[] {
  const own = examples.filter((example) => example.method === method);
  const users = [...new Set(own.map(({ user }) => user))];
  return users.flatMap((user) => {
    const others = own.filter((example) => example.user !== user && example.author !== user);
    return judgeAll(
      own.filter((example) => example.user === user),
      fitRelevance(others, method),
    );
  });
}

/** Judges results as a service does. */
export function judgeAll(examples: readonly Example[], model: RelevanceWeights): Judged[] {
  return examples.map((example) => ({
    example,
    relevance: example.hits.map(({ values }) => relevanceOf(model, values)),
  }));
}
