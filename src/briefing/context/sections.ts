import type { Fact } from '../../domain/facts/fact.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { compileInstructions } from '../instructions/compile-instructions.ts';
import {
  type ActiveWork,
  type Activity,
  type ContextFact,
  type ContextMemory,
  type ContextPattern,
  type ContextRequest,
  type Gotcha,
  summaryOf,
} from './context.ts';

const conversationsMax = 10;
/** After this long the time of the last activity counts half. */
const halfLifeMs = 7 * DAY_MS;
/** Minimum share of the score, whatever the age. */
const floor = 0.4;

/**
 * The conversation with the best score of a hybrid search, weighted by recent activity; null if none matches.
 */
export async function findActiveWork(
  { search, clock }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
): Promise<ActiveWork | null> {
  const { hits } = await search.conversations(user, context, conversationsMax);
  const now = clock.now();
  const [best] = hits
    .map(({ conversation, score }) => ({
      conversation,
      score: score * recency(conversation.lastActivityAt, now),
    }))
    .sort((a, b) => b.score - a.score);
  if (!best) return null;
  const { id, title, lastActivityAt } = best.conversation;
  const newest = await search.browse(user, {
    filter: { conversationId: id, currentAt: now, includeSuperseded: true },
    sortBy: 'createdAt',
    order: 'desc',
    limit: 1,
    offset: 0,
  });
  const [last] = newest.items;
  if (!last) return null;
  return {
    conversationId: id,
    title,
    lastActivity: lastActivityAt,
    lastMemory: { id: last.id, summary: summaryOf(last.content) },
  };
}

const recency = (at: EpochMs, now: EpochMs) =>
  floor + (1 - floor) * 0.5 ** (Math.max(0, now - at) / halfLifeMs);

const foundMax = 40;
const relevantMax = 15;
const gotchasMax = 10;
/** Memories whose facts are considered in addition to the results of a fact search. */
const memoriesMax = 20;
const ofMemoryMax = 3;

interface ContextFacts {
  readonly relevant: readonly ContextFact[];
  readonly gotchas: readonly Gotcha[];
}

/**
 * Facts found by the words of the task, then those of matching
 * memories; gotchas are facts stated by two memories or more.
 */
export async function findFacts(
  { search, stores }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ContextFacts> {
  const reader = stores.forUser(user);
  const { facts: found } = await search.facts(user, { query: context, limit: foundMax });
  const versions = (await memories).slice(0, memoriesMax);
  const byVersion = await reader.facts.listByVersions(versions);
  const others = [...byVersion.values()].flatMap(({ shown }) =>
    shown.slice(0, ofMemoryMax).map(({ id }) => id),
  );
  const known = new Set(found.map(({ id }) => id));
  const ids = [...new Set(others)].filter((id) => !known.has(id));
  const read = new Map((await reader.facts.findMany(ids)).map((fact) => [fact.id, fact]));
  const more = ids.flatMap((id) => read.get(id) ?? []);
  const facts = [...found, ...more];
  const repeated = facts.filter(({ sourceMemoryIds }) => sourceMemoryIds.length > 1).slice(0, gotchasMax);
  return {
    relevant: facts
      .filter(({ sourceMemoryIds }) => sourceMemoryIds.length < 2)
      .slice(0, relevantMax)
      .map(toContextFact),
    gotchas: await gotchasOf({ search, stores }, user, repeated),
  };
}

const toContextFact = ({ subject, predicate, object, confidence, sourceMemoryIds }: Fact): ContextFact => ({
  subject,
  predicate,
  object,
  confidence,
  // Stated by hand: the fact has no source memory.
  sourceMemoryId: sourceMemoryIds[0] ?? '',
});

async function gotchasOf(
  { stores }: Pick<BriefingDeps, 'search' | 'stores'>,
  user: UserRef,
  facts: readonly Fact[],
): Promise<Gotcha[]> {
  const ids = [...new Set(facts.flatMap(({ sourceMemoryIds }) => sourceMemoryIds))].slice(0, 1000);
  const memories = await stores.forUser(user).memories.findMany(ids);
  const times = new Map(memories.map(({ id, createdAt }) => [id, createdAt]));
  return facts.map(({ subject, predicate, object, sourceMemoryIds, updatedAt }) => ({
    fact: `${subject} ${predicate} ${object}`,
    sourceMemories: sourceMemoryIds,
    lastSeen: Math.max(...sourceMemoryIds.map((id) => times.get(id) ?? 0)) || updatedAt,
  }));
}

const activitiesMax = 20;

/** Memories written within the window, newest first. */
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
    limit: activitiesMax,
    offset: 0,
  });
  return items.map(({ id, content, createdAt, conversationId }) => ({
    id,
    summary: summaryOf(content),
    at: createdAt,
    conversationId,
  }));
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
