import { toIso } from '../../domain/shared/time.ts';
import { Breather } from '../../lib/loop-time.ts';
import { statementsOf } from '../text/statements.ts';
import type { CountTokens } from '../text/tokens.ts';
import type { BuiltContext, ContextMemory } from './context.ts';

/** Share of the budget that memories have before other sections, whose rest goes to memories, then to recent activity. */
const memoriesShare = 0.65;
/** A memory that takes a greater share of the budget is shortened to its sentence. */
const longShare = 0.25;
/** Greatest shares of the other sections. */
const shares = {
  activeWork: 0.25,
  gotchas: 0.1,
  relatedPatterns: 0.1,
  open: 0.1,
  relevantFacts: 0.1,
  recentActivity: 0.3,
} as const;
type Section = keyof typeof shares;

/** Tokens of the section names and of separators between items. */
const frameTokens = 60;
/** Random ids differ in tokens: each counts as one, so that equal stores have equal contexts. */
const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const likeAnyId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

interface Limits {
  readonly budget: number;
  readonly countTokens: CountTokens;
  /** Terms of the task. */
  readonly terms: ReadonlySet<string>;
}

/**
 * The sections cut to what fits into the budget together, in their order: nothing is passed over for something shorter
 * behind it. `omitted` counts the items cut.
 */
export async function fitContext(
  context: BuiltContext,
  { budget, countTokens, terms }: Limits,
): Promise<BuiltContext> {
  const breather = new Breather();
  const cost = (item: unknown) => countTokens(JSON.stringify(item, asShown).replace(id, likeAnyId)) + 1;
  let left = budget - frameTokens - cost(context.contextTerms);
  /** The first items that fit into `room`, each in its first form that does. */
  const take = async <T>(items: readonly T[], room: number, formsOf: (item: T) => T[] = (item) => [item]) => {
    const kept: T[] = [];
    let used = 0;
    for (const item of items) {
      const pause = breather.pause();
      if (pause) await pause;
      const form = formsOf(item).find((one) => used + cost(one) <= room);
      if (form === undefined) break;
      used += cost(form);
      kept.push(form);
    }
    left -= used;
    return kept;
  };
  const formsOf = (memory: ContextMemory): ContextMemory[] => {
    const short = shortened(memory, terms);
    if (short === undefined) return [memory];
    return cost(memory) > budget * longShare ? [short] : [memory, short];
  };
  const room = (section: Section) => Math.max(0, Math.min(left, budget * shares[section]));
  const first = await take(context.relevantMemories, left * memoriesShare, formsOf);
  const [activeWork = null] = await take(context.activeWork ? [context.activeWork] : [], room('activeWork'));
  const sections = {
    gotchas: await take(context.gotchas, room('gotchas')),
    relatedPatterns: await take(context.relatedPatterns, room('relatedPatterns')),
    open: await take(context.open, room('open')),
    relevantFacts: await take(context.relevantFacts, room('relevantFacts')),
  };
  const more = await take(context.relevantMemories.slice(first.length), Math.max(0, left), formsOf);
  const recentActivity = await take(context.recentActivity, room('recentActivity'));
  const relevantMemories = [...first, ...more];
  const fitted: BuiltContext = { ...context, ...sections, activeWork, relevantMemories, recentActivity };
  return { ...fitted, omitted: omittedOf(context, fitted), tokens: budget - Math.max(0, left) };
}

function omittedOf(context: BuiltContext, fitted: BuiltContext): BuiltContext['omitted'] {
  const counts = (
    ['relevantMemories', 'gotchas', 'relatedPatterns', 'open', 'relevantFacts', 'recentActivity'] as const
  ).map((section) => [section, context[section].length - fitted[section].length] as const);
  const work = context.activeWork && !fitted.activeWork ? [['activeWork', 1] as const] : [];
  return Object.fromEntries([...work, ...counts].filter(([, count]) => count > 0));
}

/** The memory with its sentence that shares most words with the task; undefined if it has one only. */
function shortened(memory: ContextMemory, terms: ReadonlySet<string>): ContextMemory | undefined {
  const statements = statementsOf(memory.content, 0);
  const sharedBy = (own: ReadonlySet<string>) => [...own].filter((term) => terms.has(term)).length;
  const [best] = [...statements].sort(
    (a, b) => sharedBy(b.terms) - sharedBy(a.terms) || a.position - b.position,
  );
  if (!best || best.text.length >= memory.content.trim().length) return undefined;
  return { ...memory, content: best.text, isShortened: true };
}

/** Members of a memory that no response has. */
const inner = new Set(['doc', 'conversationId']);

/** As a response shows it: times in ISO 8601; a memory without false or empty members. */
function asShown(this: unknown, key: string, value: unknown): unknown {
  const isOfMemory = typeof this === 'object' && this !== null && 'doc' in this;
  const isEmpty = value === false || (Array.isArray(value) && value.length === 0);
  if (isOfMemory && (isEmpty || inner.has(key))) return undefined;
  const isTime = key === 'at' || key === 'lastSeen' || key === 'lastActivity';
  return isTime && typeof value === 'number' ? toIso(value) : value;
}
