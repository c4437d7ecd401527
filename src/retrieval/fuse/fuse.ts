import { cosineOf } from '../../domain/embedding/similarity.ts';
import type { KeywordMatches } from '../arms/keyword-arm.ts';
import type { CosineByRow } from '../arms/semantic-arm.ts';
import type { SoftMatches } from '../arms/synonym-arm.ts';
import type { BranchFailure } from '../branch-failure.ts';
import type { Candidates } from '../candidates.ts';
import type { TermExpansion } from '../expand/expand-query.ts';
import type { MatchedPhrase } from '../expand/match-phrases.ts';
import type { SearchPlan } from '../plan.ts';
import { type InConversation, scoreInConversation } from '../rank/in-conversation.ts';
import { type MeaningScores, nearScores } from '../rank/meaning.ts';
import {
  alone,
  balanced,
  type ContextWeights,
  hybridWeights,
  semanticWeights,
  wordWeights,
} from './weights.ts';

/** What was found and how it is ranked; everything that an explanation needs is kept. */
export interface Fused {
  /** All matches, in no fixed order. */
  readonly rows: readonly number[];
  /** By row; undefined when there was nothing to rank by. */
  readonly scores?: Float64Array;
  readonly keyword?: KeywordMatches;
  readonly inConversation?: InConversation;
  readonly meaning?: FoundByMeaning;
  /** Words of the query that count as other terms. */
  readonly expansions?: readonly TermExpansion[];
  readonly phrases?: readonly MatchedPhrase[];
}

/** What the arms of meaning found. */
export interface FoundByMeaning {
  readonly nearness: CosineByRow;
  readonly soft: SoftMatches | undefined;
  readonly halfSimilarityAt: number;
  /** Why there are no vectors to compare. */
  readonly failure?: BranchFailure;
}

function weightsOf({ method, context, wordsFactor, meaningFactor }: SearchPlan): ContextWeights {
  if (method === 'keyword') return context ? wordWeights : alone(wordWeights);
  const tuned = method === 'hybrid' ? hybridWeights : semanticWeights;
  return balanced(context ? tuned : alone(tuned), wordsFactor, meaningFactor);
}

/**
 * Scores from what the arms found: pure, the same for the same input.
 * @param weights other than those that ship, to measure what they would give
 */
export function fuse(
  plan: SearchPlan,
  { view, passes }: Candidates,
  keyword: KeywordMatches,
  meaning?: FoundByMeaning,
  weights: ContextWeights = weightsOf(plan),
): Fused {
  // Alone and without a time there is nothing but words to weigh.
  if (!plan.context && !meaning && plan.periods.length === 0)
    return { rows: keyword.rows, scores: keyword.scores, keyword };
  const byMeaning = meaning && meaningScores(plan, { view, passes }, meaning);
  const inConversation = scoreInConversation({
    view,
    passes,
    terms: keyword.terms,
    named: new Set([...plan.terms, ...keyword.terms.map(({ term }) => term)]),
    own: keyword.scores,
    weights,
    periods: plan.periods,
    meaning: byMeaning,
    allWords: idfOfAll(plan, keyword),
  });
  const { scores } = inConversation;
  if (plan.context) return { rows: inConversation.rows, scores, keyword, inConversation, meaning };
  // Alone, a memory beside one that matches is no match.
  const own = new Set([...keyword.rows, ...(byMeaning?.softRows ?? []), ...(byMeaning?.nearRows ?? [])]);
  const rows = inConversation.rows.filter((row) => own.has(row));
  return { rows, scores, keyword, inConversation, meaning };
}

/** What a memory that held every word of the query would weigh; a word that nobody wrote counts as the rarest. */
function idfOfAll({ terms }: SearchPlan, keyword: KeywordMatches): number {
  const typed = new Set(terms);
  return keyword.terms.reduce((sum, { term, idf }) => (typed.has(term) ? sum + idf : sum), 0);
}

function meaningScores(
  plan: SearchPlan,
  { view, passes }: Pick<Candidates, 'view' | 'passes'>,
  found: FoundByMeaning,
): MeaningScores {
  const { nearness, soft, halfSimilarityAt } = found;
  const least = cosineOf(plan.threshold, halfSimilarityAt);
  const near = nearScores(view.index, { nearness, halfSimilarityAt, least, passes });
  return { ...near, soft: soft?.scores, softRows: soft?.rows ?? [] };
}
