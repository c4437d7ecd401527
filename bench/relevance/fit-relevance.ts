import { relevanceFeatures } from '../../src/retrieval/relevance/features.ts';
import { type RelevanceWeights, relevanceOf } from '../../src/retrieval/relevance/relevance.ts';
import type { SearchMethod } from '../../src/retrieval/request.ts';
import type { Example } from './examples.ts';
import { fitLogistic, type Weighed } from './fit-logistic.ts';

/**
 * What first hits count together, whatever their number. Half are right: the talks are asked in other words on purpose, so
 * that few of their first hits are right, and an agent's questions are not. Of the others some were stored and not found,
 * more were never stored.
 */
export const shares = { right: 0.5, wrong: 0.15, foreign: 0.2, neverStored: 0.15 } as const;
type Class = keyof typeof shares;

/** A first hit with what it was judged. */
export interface JudgedHit {
  readonly example: Example;
  readonly of: Class;
  readonly relevance: number;
  /** Of the best ten hits. */
  readonly best: number;
}

function classOf({ asked, hits }: Example): Class {
  if (hits[0].isRight) return 'right';
  if (asked === 'own') return 'wrong';
  return asked === 'foreign' ? 'foreign' : 'neverStored';
}

/** Fits to first hits, the locked half left out. */
export function fitRelevance(examples: readonly Example[]): RelevanceWeights {
  const used = examples.filter(({ asked, hits }) => asked !== 'locked' && hits.length > 0);
  const counts = new Map<Class, number>();
  for (const example of used) counts.set(classOf(example), (counts.get(classOf(example)) ?? 0) + 1);
  const weighed = used.map((example): Weighed => {
    const of = classOf(example);
    const [{ values }] = example.hits;
    return {
      values: relevanceFeatures.map((name) => values[name]),
      isRight: of === 'right',
      weight: (used.length * shares[of]) / (counts.get(of) ?? 1),
    };
  });
  const { bias, weights } = fitLogistic(weighed);
  const named = relevanceFeatures.map((name, j) => [name, digits(weights[j])]);
  return { bias: digits(bias), weights: Object.fromEntries(named) };
}

/** Five digits, so that the last bit of a sum decides nothing. */
function digits(value: number): number {
  return Math.round(value * 100_000) / 100_000 || 0;
}

/** First hits of every user, judged by what was fitted to the other users. */
export function judgeLeftOut(examples: readonly Example[], method: SearchMethod): JudgedHit[] {
  const own = examples.filter((example) => example.method === method);
  const users = [...new Set(own.map(({ user }) => user))];
  return users.flatMap((user) => {
    const model = fitRelevance(own.filter((example) => example.user !== user));
    return own.filter((example) => example.user === user && example.hits.length > 0).map(judgedBy(model));
  });
}

function judgedBy(model: RelevanceWeights): (example: Example) => JudgedHit {
  return (example) => {
    const relevances = example.hits.map(({ values }) => relevanceOf(model, values));
    return { example, of: classOf(example), relevance: relevances[0], best: Math.max(...relevances) };
  };
}
