/**
 * What each ingredient of a memory's score weighs, in units of the best own BM25 of the query. The recipe and these
 * values were fitted on conversations in general terms (ADR 22); what each gives is in docs/benchmarks.md.
 */
export interface ContextWeights {
  /** Own BM25. */
  readonly own: number;
  /** Own BM25 of the memory before, after, two before, two after it in its conversation. */
  readonly before: number;
  readonly after: number;
  readonly twoBefore: number;
  readonly twoAfter: number;
  /** BM25 of the memory before, when that one asks a question: an answer inherits its question. */
  readonly questionBefore: number;
  /** BM25 of the memory after, when this one asks a question. */
  readonly answerAfter: number;
  /** How well the whole conversation matches. */
  readonly conversation: number;
  /** The query names who says this. */
  readonly speaker: number;
  /** It is a question, and a short one at that: rarely the answer. */
  readonly question: number;
  readonly shortQuestion: number;
  /** Its time is what the query speaks of ("last May"): a preference, never a filter. */
  readonly time: number;
  /** Near words that this memory, the one before and the one after hold. */
  readonly soft: number;
  readonly softBefore: number;
  readonly softAfter: number;
  /** How near in meaning this memory, the one before, the one after and the best three of the conversation are. */
  readonly near: number;
  readonly nearBefore: number;
  readonly nearAfter: number;
  readonly nearConversation: number;
}

const noMeaning = {
  soft: 0,
  softBefore: 0,
  softAfter: 0,
  near: 0,
  nearBefore: 0,
  nearAfter: 0,
  nearConversation: 0,
} as const;

export const wordWeights: ContextWeights = {
  ...noMeaning,
  own: 1,
  before: 0.15,
  after: 0.15,
  twoBefore: 0.3,
  twoAfter: 0.35,
  questionBefore: 0.65,
  answerAfter: -0.22,
  conversation: 0.6,
  speaker: 0.6,
  question: -0.1,
  shortQuestion: -0.15,
  time: 0.4,
};

/** Words and meaning together. */
export const hybridWeights: ContextWeights = {
  own: 1,
  before: 0.3,
  after: 0.25,
  twoBefore: 0.25,
  twoAfter: 0.15,
  questionBefore: 0.55,
  answerAfter: -0.17,
  conversation: 0.45,
  speaker: 0.5,
  question: -0.1,
  shortQuestion: -0.25,
  time: 0.4,
  soft: 1.45,
  softBefore: 0.3,
  softAfter: 0.35,
  near: 0.45,
  nearBefore: -0.15,
  nearAfter: 0.15,
  nearConversation: 0.3,
};

const nothing: ContextWeights = {
  ...noMeaning,
  own: 0,
  before: 0,
  after: 0,
  twoBefore: 0,
  twoAfter: 0,
  questionBefore: 0,
  answerAfter: 0,
  conversation: 0,
  speaker: 0,
  question: 0,
  shortQuestion: 0,
  time: 0,
};

/** Vectors alone. */
export const semanticWeights: ContextWeights = {
  ...nothing,
  near: 1,
  nearBefore: 0.3,
  nearAfter: 0.4,
  nearConversation: 0.45,
  speaker: 0.3,
  time: 0.4,
};

/** The weights that judge every memory alone, by what it says and when. */
export function alone({ own, soft, near, time }: ContextWeights): ContextWeights {
  return { ...nothing, own, soft, near, time };
}

/** Weights with what words and what meaning give multiplied: 1 leaves them as they were tuned. */
export function balanced(w: ContextWeights, words: number, meaning: number): ContextWeights {
  if (words === 1 && meaning === 1) return w;
  return {
    ...timesWords(w, words),
    conversation: words * w.conversation,
    soft: meaning * w.soft,
    softBefore: meaning * w.softBefore,
    softAfter: meaning * w.softAfter,
    near: meaning * w.near,
    nearBefore: meaning * w.nearBefore,
    nearAfter: meaning * w.nearAfter,
    nearConversation: meaning * w.nearConversation,
  };
}

/** Weights with what is given by the words of a memory and of its neighbours multiplied. */
export function timesWords(w: ContextWeights, factor: number): ContextWeights {
  return {
    ...w,
    own: factor * w.own,
    before: factor * w.before,
    after: factor * w.after,
    twoBefore: factor * w.twoBefore,
    twoAfter: factor * w.twoAfter,
    questionBefore: factor * w.questionBefore,
    answerAfter: factor * w.answerAfter,
  };
}
