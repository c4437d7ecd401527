import { type Memory, orderTime } from '../../../../domain/memories/memory.ts';
import { pageLimitMax } from '../../../../domain/shared/page.ts';
import type { UserRef } from '../../../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../../../retrieval/request.ts';
import type { Search } from '../../../../retrieval/search-port.ts';

const byEventTime = { sortBy: 'eventTime', order: 'asc', offset: 0 } as const;

/**
 * Place of a memory in the order of its conversation, from 1. Among more than 1,000 memories of one and the same
 * time it is the place of the 1,000th.
 */
export async function conversationPosition(search: Search, user: UserRef, memory: Memory): Promise<number> {
  const inConversation: MemoryFilter = { conversationId: memory.conversationId, includeSuperseded: true };
  const time = orderTime(memory);
  const earlier = await search.browse(user, {
    ...byEventTime,
    filter: { ...inConversation, eventTo: time - 1 },
    limit: 1,
  });
  const same = await search.browse(user, {
    ...byEventTime,
    filter: { ...inConversation, eventFrom: time, eventTo: time },
    limit: pageLimitMax,
  });
  const place = same.items.findIndex(({ id }) => id === memory.id);
  return earlier.count + (place < 0 ? same.items.length : place + 1);
}
