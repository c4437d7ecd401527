import type { Conversation } from '../../domain/conversations/conversation.ts';
import { titleFrom } from '../../domain/conversations/place-memory.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import { DAY_MS, type EpochMs } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { isFiller } from '../text/readable.ts';
import {
  type ActiveWork,
  type Activity,
  type ContextMemory,
  type ContextRequest,
  summaryOf,
} from './context.ts';
import { openEndsOf } from './open-ends.ts';

const conversationsMax = 10;
/** After this long the time of the last activity counts half. */
const halfLifeMs = 3 * DAY_MS;
/** Minimum share of the relevance, whatever the age. */
const floor = 0.3;
/** A conversation with an open end counts so much more. */
const openBonus = 1.25;
/** Newest memories of a conversation that are read for one that says something. */
const lastMax = 5;
/** Words of a task that name no matter but the work that went on last. */
const resumes =
  /\b(?:continue|resume|carry on|pick up|left off|go on|keep going|where (?:were|was|are) (?:we|i))\b/i;

interface Candidate {
  readonly conversation: Conversation;
  readonly relevance: number;
}

/**
 * The conversation that fits the task and went on last, one with open ends rather than another; null if no memory of
 * any fits. "Continue" without a matter means the last one.
 */
export async function findActiveWork(
  { search, stores, clock }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ActiveWork | null> {
  const [{ hits }, known] = await Promise.all([
    search.conversations(user, context, conversationsMax),
    memories,
  ]);
  const { conversations } = stores.forUser(user);
  const relevance = new Map<string, number>();
  for (const memory of known)
    relevance.set(
      memory.conversationId,
      Math.max(relevance.get(memory.conversationId) ?? 0, memory.relevance),
    );
  const found = new Map(hits.map(({ conversation }) => [conversation.id, conversation]));
  const missing = [...relevance.keys()].filter((id) => !found.has(id));
  for (const conversation of await conversations.findMany(missing)) found.set(conversation.id, conversation);
  if (relevance.size === 0 && resumes.test(context)) {
    const { items } = await conversations.list({
      limit: 1,
      offset: 0,
      sortBy: 'lastActivityAt',
      order: 'desc',
    });
    for (const conversation of items) {
      relevance.set(conversation.id, 1);
      found.set(conversation.id, conversation);
    }
  }
  const candidates = [...relevance].flatMap(([id, share]): Candidate[] => {
    const conversation = found.get(id);
    return conversation ? [{ conversation, relevance: share }] : [];
  });
  const open = await openEndsOf({ search, clock }, user, {});
  return best(
    await Promise.all(candidates.map((one) => lastOf({ search, clock }, user, one))),
    open,
    clock.now(),
  );
}

interface Work extends Candidate {
  readonly last: Memory;
}

/** With its newest memory that holds and says something; undefined without one. */
async function lastOf(
  { search, clock }: Pick<BriefingDeps, 'search' | 'clock'>,
  user: UserRef,
  candidate: Candidate,
): Promise<Work | undefined> {
  const { items } = await search.browse(user, {
    filter: { conversationId: candidate.conversation.id, currentAt: clock.now(), includeSuperseded: false },
    sortBy: 'createdAt',
    order: 'desc',
    limit: lastMax,
    offset: 0,
  });
  const last = items.find(({ content }) => !isFiller(content));
  return last && { ...candidate, last };
}

function best(
  works: readonly (Work | undefined)[],
  open: readonly Activity[],
  now: EpochMs,
): ActiveWork | null {
  const withOpen = new Set(open.map(({ conversationId }) => conversationId));
  const scoreOf = ({ conversation, relevance, last }: Work) =>
    relevance * recency(last.createdAt, now) * (withOpen.has(conversation.id) ? openBonus : 1);
  const [work] = works
    .flatMap((one) => one ?? [])
    .sort((a, b) => scoreOf(b) - scoreOf(a) || b.last.seq - a.last.seq);
  if (!work) return null;
  const { conversation, last } = work;
  return {
    conversationId: conversation.id,
    // The title of a conversation comes from its oldest memory, which may not hold any more.
    title: conversation.autoTitled ? titleFrom(summaryOf(last.content)) : conversation.title,
    lastActivity: last.createdAt,
    lastMemory: { id: last.id, summary: summaryOf(last.content) },
  };
}

const recency = (at: EpochMs, now: EpochMs) =>
  floor + (1 - floor) * 0.5 ** (Math.max(0, now - at) / halfLifeMs);
