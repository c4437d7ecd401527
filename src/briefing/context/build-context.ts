import type { UserRef } from '../../domain/shared/user-ref.ts';
import { withinDeadline } from '../../lib/async.ts';
import { analyze, analyzeWithOffsets } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { findActiveWork } from './active-work.ts';
import type { BuiltContext, ContextRequest, sectionNames } from './context.ts';
import { findFacts } from './context-facts.ts';
import { fitContext } from './fit-context.ts';
import { findRelevantMemories } from './relevant-memories.ts';
import { findOpenEnds, findRecentActivity, findRelatedPatterns } from './sections.ts';

const termsMax = 20;

/**
 * The context of a task. Sections are found at the same time; a
 * section that fails or exceeds the deadline is empty and named.
 */
export async function buildContext(
  deps: BriefingDeps,
  user: UserRef,
  request: ContextRequest,
): Promise<BuiltContext> {
  const late: string[] = [];
  const failed: string[] = [];
  const section = async <T>(name: (typeof sectionNames)[number], found: Promise<T>, empty: T): Promise<T> => {
    const outcome = await withinDeadline(found, request.deadlineMs);
    if (outcome.state === 'found') return outcome.value;
    if (outcome.state === 'late') late.push(name);
    else {
      failed.push(name);
      request.onFailure(name, outcome.error);
    }
    return empty;
  };
  const memories = findRelevantMemories(deps, user, request);
  const [activeWork, relevantMemories, facts, open, recentActivity, relatedPatterns, countTokens] =
    await Promise.all([
      section('activeWork', findActiveWork(deps, user, request, memories), null),
      section('relevantMemories', memories, []),
      section('relevantFacts', findFacts(deps, user, request, memories), { relevant: [], gotchas: [] }),
      section('open', findOpenEnds(deps, user, request, memories), []),
      section('recentActivity', findRecentActivity(deps, user, request), []),
      section('relatedPatterns', findRelatedPatterns(deps, user, request), []),
      loadTokenCounter(),
    ]);
  const found: BuiltContext = {
    activeWork,
    relevantMemories,
    relevantFacts: facts.relevant,
    gotchas: facts.gotchas,
    open,
    recentActivity,
    relatedPatterns,
    omitted: {},
    tokens: 0,
    contextTerms: termsAsTyped(request.context),
    relevanceFloor: deps.search.relevanceFloor,
    timedOutSections: late,
    failedSections: failed,
  };
  return fitContext(found, {
    terms: new Set(analyze(request.context)),
    budget: request.tokenBudget,
    countTokens,
  });
}

/** The search words of a text, as written; of words with the same stem, the first. */
function termsAsTyped(text: string): string[] {
  const words = new Map<string, string>();
  for (const { term, start, end } of analyzeWithOffsets(text)) {
    if (words.size === termsMax) break;
    if (!words.has(term)) words.set(term, text.slice(start, end));
  }
  return [...new Set(words.values())];
}
