import type { Memory } from '../domain/memories/memory.ts';
import type { Page, PageRequest } from '../domain/shared/page.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { candidatesFor, type RetrievalDeps } from './candidates.ts';
import { pageOfRecords } from './records.ts';
import type { MemoryFilter } from './request.ts';

const everything: MemoryFilter = { includeSuperseded: true };

export async function conversationTimeline(
  deps: RetrievalDeps,
  user: UserRef,
  conversationId: string,
  { limit, offset }: PageRequest,
): Promise<Page<Memory>> {
  const { index, passes } = await candidatesFor(deps, user, everything);
  const conversation = index.conversations.find(conversationId);
  const rows = Array.from(index.conversationRows.of(conversation)).filter(passes);
  const page = rows.slice(offset, offset + limit);
  const { items, taken, isFull } = await pageOfRecords(deps, user, index, page);
  return { items, limit, offset, count: rows.length, ...(isFull && { nextOffset: offset + taken }) };
}
