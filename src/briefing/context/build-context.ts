import type { Fact } from '../../domain/facts/fact.ts';
import { HOUR_MS } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { withinDeadline } from '../../lib/async.ts';
import { analyze, analyzeWithOffsets } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { compileInstructions } from '../instructions/compile-instructions.ts';
import { isFiller } from '../text/readable.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { isProse, isUsefulFact, namesOf } from '../text/useful-facts.ts';
import { findActiveWork } from './active-work.ts';
import {
  type Activity,
  type BuiltContext,
  type ContextFact,
  type ContextMemory,
  type ContextPattern,
  type ContextRequest,
  type Gotcha,
  type sectionNames,
  summaryOf,
} from './context.ts';
import { fitContext } from './fit-context.ts';
import { openEndsOf } from './open-ends.ts';
import { findRelevantMemories } from './relevant-memories.ts';

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

const activitiesMax = 10;

/** Memories written within the window that say something, newest first. */
async function findRecentActivity(
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
async function findOpenEnds(
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
async function findRelatedPatterns(
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

const relevantMax = 5;
const gotchasMax = 5;
/** Results of a fact search that are looked through for facts which no memory states. */
const foundMax = 20;

interface ContextFacts {
  readonly relevant: readonly ContextFact[];
  readonly gotchas: readonly Gotcha[];
}

/**
 * Facts of the memories found, and those that a person stated without a memory, if they are worth reading on their
 * own and share a word with the task; gotchas are facts that two memories or more state.
 */
async function findFacts(
  { search, stores }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ContextFacts> {
  const reader = stores.forUser(user);
  const { facts: found } = await search.facts(user, { query: context, limit: foundMax });
  const known = (await memories).filter(({ content }) => isProse(content));
  const [byVersion, entities] = await Promise.all([
    reader.facts.listByVersions(known),
    reader.entities.listByVersions(known.map(({ doc }) => doc)),
  ]);
  const ids = [...new Set([...byVersion.values()].flatMap(({ shown }) => shown.map(({ id }) => id)))];
  const read = new Map((await reader.facts.findMany(ids)).map((fact) => [fact.id, fact]));
  const stated = found.filter(({ sourceMemoryIds }) => sourceMemoryIds.length === 0);
  const worth = { queryTerms: new Set(analyze(context)), names: namesOf(entities.values()) };
  const facts = [...stated, ...ids.flatMap((id) => read.get(id) ?? [])].filter((fact) =>
    isUsefulFact(fact, worth),
  );
  const repeated = facts.filter(({ sourceMemoryIds }) => sourceMemoryIds.length > 1);
  return {
    relevant: facts
      .filter(({ sourceMemoryIds }) => sourceMemoryIds.length < 2)
      .slice(0, relevantMax)
      .map(toContextFact),
    gotchas: await gotchasOf({ stores }, user, repeated.slice(0, gotchasMax)),
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
  { stores }: Pick<BriefingDeps, 'stores'>,
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
