import type { KeywordMatches } from './arms/keyword-arm.ts';
import type { Candidates } from './candidates.ts';
import type { SearchPlan } from './plan.ts';
import { type InConversation, scoreInConversation } from './rank/in-conversation.ts';
import { wordWeights } from './rank/weights.ts';
import type { HeldPhrase } from './terms/hold-phrases.ts';
import type { Reading } from './terms/read-terms.ts';

/** What was found and how it is ranked; everything that an explanation needs is kept. */
export interface Fused {
  /** All matches, in no fixed order. */
  readonly rows: readonly number[];
  /** By row; undefined when there was nothing to rank by. */
  readonly scores?: Float64Array;
  readonly keyword?: KeywordMatches;
  readonly inConversation?: InConversation;
  /** Words of the query that count as other terms. */
  readonly readings?: readonly Reading[];
  readonly phrases?: readonly HeldPhrase[];
}

/** Scores from what the arms found: pure, the same for the same input. */
export function fuse(plan: SearchPlan, { moment, passes }: Candidates, keyword: KeywordMatches): Fused {
  if (!plan.context) return { rows: keyword.rows, scores: keyword.scores, keyword };
  const inConversation = scoreInConversation({
    moment,
    passes,
    terms: keyword.terms,
    own: keyword.scores,
    weights: wordWeights,
    periods: plan.periods,
  });
  return { rows: inConversation.rows, scores: inConversation.scores, keyword, inConversation };
}
