import { HOUR_MS } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { compileInstructions } from '../instructions/compile-instructions.ts';
import { isFiller } from '../text/readable.ts';
import {
  type Activity,
  type ContextMemory,
  type ContextPattern,
  type ContextRequest,
  summaryOf,
} from './context.ts';
import { openEndsOf } from './open-ends.ts';

const activitiesMax = 10;

/** Memories written within the window that say something, newest first. */
export async function findRecentActivity(
  { search, clock }: BriefingDeps,
  user: UserRef,
  { recentHours, scope }: ContextRequest,
): Promise<Activity[]> {
  const now = clock.now();
  const { items } = await search.browse(user, {
    filter: { createdFrom: now - recentHours * HOUR_MS, currentAt: now, scope, includeSuperseded: false },
    sortBy: 'createdAt',
    order: 'desc',
    limit: activitiesMax * 2,
    offset: 0,
  });
  const telling = items.filter(({ content }) => !isFiller(content)).slice(0, activitiesMax);
  return telling.map(({ id, content, createdAt, conversationId }) => ({
    id,
    summary: summaryOf(content),
    at: createdAt,
    conversationId,
  }));
}

/** Open ends about the task and of the active work; those of the memories found are not among them. */
export async function findOpenEnds(
  deps: BriefingDeps,
  user: UserRef,
  { context, scope }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<Activity[]> {
  const open = await openEndsOf(deps, user, { query: context, filter: { scope } });
  const shown = new Set((await memories).map(({ id }) => id));
  return open.filter(({ id }) => !shown.has(id));
}

const patternsShownMax = 10;
const patternTokensMax = 2000;
/** As for instructions: rules and preferences of one plain memory are above it. */
const patternConfidenceMin = 0.4;

/** The instructions for the task and its files, the most important first. */
export async function findRelatedPatterns(
  deps: BriefingDeps,
  user: UserRef,
  { context, files }: ContextRequest,
): Promise<ContextPattern[]> {
  const { instructions } = await compileInstructions(deps, user, {
    currentQuery: context,
    conversationContext: [],
    files,
    tokenBudget: patternTokensMax,
    minConfidence: patternConfidenceMin,
    maxInstructions: patternsShownMax,
  });
  return instructions.map(({ text, pattern }) => ({ pattern: text, confidence: pattern.confidence }));
}
