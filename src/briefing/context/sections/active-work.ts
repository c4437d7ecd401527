import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../../briefing-deps.ts';
import { type ActiveWork, type ContextRequest, summaryOf } from '../context.ts';

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
