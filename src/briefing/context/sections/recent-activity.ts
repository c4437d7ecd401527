import { HOUR_MS } from '../../../domain/shared/time.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../../briefing-deps.ts';
import { type Activity, type ContextRequest, summaryOf } from '../context.ts';

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
