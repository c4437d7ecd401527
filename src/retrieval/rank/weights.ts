/**
 * What each ingredient of a memory's score weighs, in units of the best own BM25 of the query. The recipe and these
 * values were fitted on conversations in general terms (design, section 7); what each gives is in docs/benchmarks.md.
 */
export interface ContextWeights {
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
}

export const wordWeights: ContextWeights = {
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
