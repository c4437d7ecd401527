import type { RankedBy, RelevanceWeights } from '../../src/search/rank/ranking-models.ts';
import { relevanceOf } from '../../src/search/rank/relevance.ts';
import { rerankedFeatures, sumFeatures } from '../../src/search/rank/relevance-features.ts';
import type { Asked, Example } from './examples.ts';
import { fitLogistic, type Weighed } from './fit-logistic.ts';

/**
 * Total weight of all results of a kind, regardless of their number. Direct questions count most, because
 * agents ask like this; the questions of the talks use other words on purpose. `mistaken`: a wrong result of
 * a question whose answer is stored; `absent`: a result for something that was never stored.
 */
const shares = {
  'direct right': 0.2,
  'direct mistaken': 0.28,
  'direct absent': 0.22,
  'talks right': 0.1,
  'talks mistaken': 0.09,
  'talks absent': 0.11,
} as const;
type Kind = keyof typeof shares;

const ridge = 30;

/** Sets that are only measured, never fitted on. */
const locked: readonly Asked[] = ['direct-locked', 'locked', 'fresh'];
/** Number of best results to fit on for each question about something never stored; all of them are wrong. */
const absentHits = 2;

/** The results of one question with their relevance. */
export interface Judged {
  readonly example: Example;
  readonly relevance: readonly number[];
}

const isDirect = ({ asked }: Example) => asked === 'direct' || asked === 'direct-locked';

function kindOf(example: Example, isRight: boolean): Kind {
  const set = isDirect(example) ? 'direct' : 'talks';
  if (isRight) return `${set} right`;
  return example.isStored ? `${set} mistaken` : `${set} absent`;
}

/** Fits the weights to all results of one method. */
export function fitRelevance(examples: readonly Example[], method: RankedBy): RelevanceWeights {
  const features = method === 'hybrid' ? rerankedFeatures : sumFeatures;
  const results = examples
    .filter(({ asked }) => !locked.includes(asked))
    .flatMap((example) =>
      example.hits
        .slice(0, example.isStored || isDirect(example) ? undefined : absentHits)
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
  const { bias, weights } = fitLogistic(weighed, ridge);
  const named = features.map((name, j) => [name, digits(weights[j])]);
  return { bias: digits(bias), weights: Object.fromEntries(named) };
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
