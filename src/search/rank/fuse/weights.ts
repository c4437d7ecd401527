import type { ContextPart } from '../../arms/signal.ts';
import type { SearchMethod } from '../../request.ts';

/** Weights of a signal by part, in units of the best own BM25 of the query; absent parts count nothing. */
type SignalWeights = Readonly<Partial<Record<ContextPart, number>>>;

/** By name of a signal, in the order of addition. */
export type Weights = Readonly<Record<string, SignalWeights>>;

/** Only if a search requests them. Chosen, not fitted. */
const ofDerived = {
  entity: { self: 0.3 },
  topic: { self: 0.2 },
  fact: { self: 0.2 },
} as const satisfies Weights;

/** Finds only; `time` rates the fit. */
const ofTime = { withinTime: { self: 0 } } as const satisfies Weights;

/**
 * Weights of each signal. Recipe and values were fitted on conversations in general terms
 * (ADR 22); docs/benchmarks.md has the effect of each, from `npm run bench fit-weights`.
 */
export const shippedWeights = {
  keyword: {
    words: {
      self: 1,
      before: 0.15,
      after: 0.15,
      twoBefore: 0.3,
      twoAfter: 0.35,
      questionBefore: 0.65,
      answerAfter: -0.22,
      conversation: 0.6,
    },
    speaker: { self: 0.6 },
    question: { self: -0.1 },
    shortQuestion: { self: -0.15 },
    time: { self: 1.35 },
    ...ofTime,
    ...ofDerived,
  },
  hybrid: {
    words: {
      self: 1,
      before: 0.3,
      after: 0.25,
      twoBefore: 0.25,
      twoAfter: 0.15,
      questionBefore: 0.55,
      answerAfter: -0.17,
      conversation: 0.45,
    },
    speaker: { self: 0.5 },
    question: { self: -0.1 },
    shortQuestion: { self: -0.25 },
    time: { self: 1.35 },
    ...ofTime,
    synonyms: { self: 1.45, before: 0.3, after: 0.35 },
    semantic: { self: 0.45, before: -0.15, after: 0.15, conversation: 0.3 },
    ...ofDerived,
  },
  semantic: {
    speaker: { self: 0.3 },
    time: { self: 1.35 },
    ...ofTime,
    semantic: { self: 1, before: 0.3, after: 0.4, conversation: 0.45 },
    ...ofDerived,
  },
} as const satisfies Readonly<Record<SearchMethod, Weights>>;
