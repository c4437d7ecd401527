import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { SearchPlan } from '../../query/plan.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { RuleWeights } from '../fuse/weights.ts';
import { liftAnswers } from './lift-answers.ts';
import { spreadOverConversations } from './spread-lists.ts';

export interface RulesInput {
  readonly plan: Pick<SearchPlan, 'query' | 'form' | 'context' | 'method'>;
  readonly view: IndexView;
  readonly reader: Pick<IndexReader, 'derived'>;
  /** Absent where the method has none. */
  readonly rules: RuleWeights | undefined;
}

/** What the form of a question changes in the order of its results: see `RuleWeights`. A query of no such form costs nothing. */
export async function applyRules(fused: Fused, input: RulesInput): Promise<Fused> {
  const { plan, view, reader, rules } = input;
  const { answerType, isListAsked } = plan.form;
  // Words alone, each memory by itself: the score is BM25, in another unit than the weights.
  if (!rules || (plan.method === 'keyword' && !plan.context)) return fused;
  const lifted =
    answerType === undefined
      ? fused
      : await liftAnswers(fused, view, reader, {
          query: plan.query,
          answerType,
          factor: rules.answer[answerType],
        });
  return isListAsked && plan.context
    ? spreadOverConversations(lifted, view, rules.earlierOfConversation)
    : lifted;
}
