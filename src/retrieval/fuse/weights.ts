import type { SearchMethod } from '../request.ts';
import type { AnswerType } from '../terms/question-form.ts';
import type { ContextPart } from './signal.ts';

/** By part what a signal weighs, in units of the best own BM25 of the query; a part left out gives nothing. */
export type SignalWeights = Readonly<Partial<Record<ContextPart, number>>>;

/** By name of a signal, in the order in which contributions are added up. */
export type Weights = Readonly<Record<string, SignalWeights>>;

/** Only where a search asks for them. Chosen, not fitted. */
const ofDerived = {
  entity: { self: 0.3 },
  topic: { self: 0.2 },
  fact: { self: 0.2 },
} as const satisfies Weights;

/** It finds; how well a time fits is what `time` rates. */
const ofTime = { withinTime: { self: 0 } } as const satisfies Weights;

/**
 * What each signal weighs. Recipe and values were fitted on conversations in general terms (ADR 22); what each gives is
 * in docs/benchmarks.md, from `npm run bench:weights`.
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

/** What rules for questions of some forms give, in the same units. */
export interface RuleWeights {
  /** To a memory that names what is asked for. */
  readonly answer: Readonly<Record<AnswerType, number>>;
  /** For each result of the same conversation that comes before it, where several answers are asked for. */
  readonly earlierOfConversation: number;
}

/** A memory that states a time is often about another one than was asked for: half of the weight gave the most. */
const ofQuestions: RuleWeights = {
  answer: { PERSON: 0.3, LOCATION: 0.3, TIME: 0.15 },
  earlierOfConversation: -0.05,
};

/** ADR 22 has what each gives. Vectors alone have another scale, in which neither was measured. */
export const shippedRules = {
  keyword: ofQuestions,
  hybrid: ofQuestions,
} as const satisfies Readonly<Partial<Record<SearchMethod, RuleWeights>>>;
