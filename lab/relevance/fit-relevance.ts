import type { RankedBy, RelevanceWeights } from '../../src/search/rank/ranking-models.ts';
import { relevanceOf } from '../../src/search/rank/relevance.ts';
import { rerankedFeatures, sumFeatures } from '../../src/search/rank/relevance-features.ts';
import type { Asked, Example } from './examples.ts';
import { fitLogistic, type Weighed } from './fit-logistic.ts';

/**
 * What first hits count together, whatever their number. Half are right: the talks are asked in other words on purpose, so
 * that few of their first hits are right, and an agent's questions are not. Of the others few were stored and not found; most
 * were never stored, and those that were written as such are the hardest.
 */
export const shares = { right: 0.5, wrong: 0.05, foreign: 0.1, renamed: 0.1, neverStored: 0.25 } as const;
type Class = keyof typeof shares;

/** What weights cost. The network knows the questions of the talks, so that what it says must not be believed too much. */
const ridges = { sum: 20, reranked: 200 } as const;

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
  return asked === 'foreign' || asked === 'renamed' ? asked : 'neverStored';
}

/** What only measures. */
const keptAside: readonly Asked[] = ['locked', 'fresh'];

/** Fits to first hits. */
export function fitRelevance(examples: readonly Example[], method: RankedBy): RelevanceWeights {
  const isReranked = method === 'hybrid';
  const features = isReranked ? rerankedFeatures : sumFeatures;
  const used = examples.filter(({ asked, hits }) => !keptAside.includes(asked) && hits.length > 0);
  const counts = new Map<Class, number>();
  for (const example of used) counts.set(classOf(example), (counts.get(classOf(example)) ?? 0) + 1);
  const weighed = used.map((example): Weighed => {
    const of = classOf(example);
    const [{ values }] = example.hits;
    return {
      values: features.map((name) => values[name]),
      isRight: of === 'right',
      weight: (used.length * shares[of]) / (counts.get(of) ?? 1),
    };
  });
  const { bias, weights } = fitLogistic(weighed, isReranked ? ridges.reranked : ridges.sum);
  const named = features.map((name, j) => [name, digits(weights[j])]);
  return { bias: digits(bias), weights: Object.fromEntries(named) };
}

/** Five digits, so that the last bit of a sum decides nothing. */
function digits(value: number): number {
  return Math.round(value * 100_000) / 100_000 || 0;
}

/** First hits of every user, judged by what was fitted to the other users and their questions. */
export function judgeLeftOut(examples: readonly Example[], method: RankedBy): JudgedHit[] {
  const own = examples.filter((example) => example.method === method);
  const users = [...new Set(own.map(({ user }) => user))];
  return users.flatMap((user) => {
    const others = own.filter((example) => example.user !== user && example.author !== user);
    const model = fitRelevance(others, method);
    return own.filter((example) => example.user === user && example.hits.length > 0).map(judgedBy(model));
  });
}

/** First hits as a service judges them. */
export function judgeAll(examples: readonly Example[], model: RelevanceWeights): JudgedHit[] {
  return examples.filter(({ hits }) => hits.length > 0).map(judgedBy(model));
}

function judgedBy(model: RelevanceWeights): (example: Example) => JudgedHit {
  return (example) => {
    const relevances = example.hits.map(({ values }) => relevanceOf(model, values));
    return { example, of: classOf(example), relevance: relevances[0], best: Math.max(...relevances) };
  };
}
