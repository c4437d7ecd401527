import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { type BriefingDeps, briefingSearch, knownHits } from '../briefing-deps.ts';
import { type Activity, summaryOf } from './context.ts';

const readMax = 50;
const shownMax = 10;

/**
 * Memories with the outcome `unresolved` that no memory resolves, which that filter leaves out: those about
 * a query, best first; without one, the newest first.
 */
export async function openEndsOf(
  { search, clock }: Pick<BriefingDeps, 'search' | 'clock'>,
  user: UserRef,
  { query, filter = {} }: { readonly query?: string; readonly filter?: Partial<MemoryFilter> },
): Promise<Activity[]> {
  const unresolved = { ...filter, outcome: 'unresolved' as const };
  const memories =
    query === undefined
      ? (
          await search.browse(user, {
            filter: { ...unresolved, currentAt: clock.now(), includeSuperseded: false },
            sortBy: 'createdAt',
            order: 'desc',
            limit: shownMax,
            offset: 0,
          })
        ).items
      : knownHits(
          await search.search(user, { ...briefingSearch(query, readMax, unresolved), readsTimes: false }),
        ).map(({ memory }) => memory);
  return memories.slice(0, shownMax).map(toOpenEnd);
}

const toOpenEnd = (memory: Memory): Activity => ({
  id: memory.id,
  summary: summaryOf(memory.content),
  at: orderTime(memory),
  conversationId: memory.conversationId,
});
