import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import type { CompiledInstructions, InstructionsRequest } from './instructions.ts';
import { memoriesFor, sharesWord, termsOf } from './pattern-fit.ts';
import { type ActivatedBy, selectInstructions } from './select-instructions.ts';

/**
 * The working preferences that an agent should know. Rules and corrections
 * always count, other patterns if they match the query or the context by a
 * word or by a memory that a search for both finds; without either all count.
 */
export async function compileInstructions(
  deps: BriefingDeps,
  user: UserRef,
  request: InstructionsRequest,
): Promise<CompiledInstructions> {
  const query = request.currentQuery ?? '';
  const context = request.conversationContext.join('\n');
  const stored = deps.stores.forUser(user).patterns;
  const [patterns, shown, countTokens] = await Promise.all([
    stored.listSummaries(),
    memoriesFor(deps, user, `${query}\n${context}`.trim().slice(0, 2000)).then((ids) =>
      stored.listShownBy(ids),
    ),
    loadTokenCounter(),
  ]);
  const queryTerms = new Set(analyze(query));
  const contextTerms = new Set(analyze(context));
  const asksNothing = query.trim() === '' && context.trim() === '';
  const activatedBy: ActivatedBy = (pattern) => {
    const terms = termsOf(pattern);
    return [
      ...(sharesWord(terms, queryTerms) ? ['query'] : []),
      ...(sharesWord(terms, contextTerms) ? ['context'] : []),
      ...(shown.has(pattern.id) ? ['memories'] : []),
      ...(asksNothing || pattern.type === 'rule' || pattern.type === 'correction' ? ['always'] : []),
    ];
  };
  return selectInstructions(patterns, request, activatedBy, countTokens);
}
