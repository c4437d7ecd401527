import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { withinDeadline } from '../../lib/async.ts';
import { Breather } from '../../lib/loop-time.ts';
import { analyzeWithOffsets } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { type CountTokens, loadTokenCounter } from '../text/tokens.ts';
import type { BuiltContext, ContextRequest, sectionNames } from './context.ts';
import { findRelevantMemories } from './relevant-memories.ts';
import { findActiveWork, findFacts, findRecentActivity, findRelatedPatterns } from './sections.ts';

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
  const [activeWork, relevantMemories, facts, recentActivity, relatedPatterns, countTokens] =
    await Promise.all([
      section('activeWork', findActiveWork(deps, user, request), null),
      section('relevantMemories', memories, []),
      section('relevantFacts', findFacts(deps, user, request, memories), { relevant: [], gotchas: [] }),
      section('recentActivity', findRecentActivity(deps, user, request), []),
      section('relatedPatterns', findRelatedPatterns(deps, user, request), []),
      loadTokenCounter(),
    ]);
  const found: BuiltContext = {
    activeWork,
    relevantMemories,
    relevantFacts: facts.relevant,
    gotchas: facts.gotchas,
    recentActivity,
    relatedPatterns,
    contextTerms: termsAsTyped(request.context),
    timedOutSections: late,
    failedSections: failed,
  };
  return fitContext(found, { budget: request.tokenBudget, countTokens });
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

type Section = 'relevantMemories' | 'relevantFacts' | 'gotchas' | 'recentActivity' | 'relatedPatterns';

/** Shares of the budget; the unused part of a section goes to memories. */
const shares: Readonly<Record<Exclude<Section, 'relevantMemories'>, number>> = {
  gotchas: 0.1,
  relatedPatterns: 0.05,
  relevantFacts: 0.1,
  recentActivity: 0.1,
};
/** Tokens of the section names and of separators between items. */
const frameTokens = 60;
/** Random ids differ in tokens: each counts as one, so that equal stores have equal contexts. */
const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const likeAnyId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/**
 * The sections cut to items that fit into the budget together, best first
 * in each. Active work is never cut: it is one item of bounded length.
 */
async function fitContext(
  context: BuiltContext,
  { budget, countTokens }: { readonly budget: number; readonly countTokens: CountTokens },
): Promise<BuiltContext> {
  const breather = new Breather();
  const cost = (item: unknown) => countTokens(JSON.stringify(item, asShown).replace(id, likeAnyId)) + 1;
  let left = budget - frameTokens - cost(context.activeWork) - cost(context.contextTerms);
  const takeFitting = async <T>(items: readonly T[], room: number): Promise<T[]> => {
    const kept: T[] = [];
    let used = 0;
    for (const item of items) {
      const pause = breather.pause();
      if (pause) await pause;
      const tokens = cost(item);
      // A long item is passed over: a shorter one behind it may fit.
      if (used + tokens > room) continue;
      used += tokens;
      kept.push(item);
    }
    left -= used;
    return kept;
  };
  const share = (section: keyof typeof shares) => Math.max(0, Math.min(left, budget * shares[section]));
  const gotchas = await takeFitting(context.gotchas, share('gotchas'));
  const relatedPatterns = await takeFitting(context.relatedPatterns, share('relatedPatterns'));
  const relevantFacts = await takeFitting(context.relevantFacts, share('relevantFacts'));
  const recentActivity = await takeFitting(context.recentActivity, share('recentActivity'));
  const relevantMemories = await takeFitting(context.relevantMemories, Math.max(0, left));
  return { ...context, gotchas, relatedPatterns, relevantFacts, recentActivity, relevantMemories };
}

/** Times in ISO 8601; missing ones are left out. */
function asShown(key: string, value: unknown): unknown {
  if (key === 'doc') return undefined;
  const isTime = key === 'at' || key === 'lastSeen' || key === 'lastActivity';
  return isTime && typeof value === 'number' ? toIso(value) : value;
}
