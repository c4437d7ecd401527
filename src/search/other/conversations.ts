import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import { pageOfList } from '../../domain/shared/cursor.ts';
import type { Page, PageRequest, Position } from '../../domain/shared/page.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { candidatesFor, type RetrievalDeps } from '../candidates.ts';
import type { PageAround } from '../search-port.ts';
import { pageOfRecords, pageOfRows } from '../shape/records.ts';

const everything: MemoryFilter = { includeSuperseded: true };
const inOrder = [
  { order: 'asc', part: 'number' },
  { order: 'asc', part: 'integer' },
] as const;

export async function conversationTimeline(
  deps: RetrievalDeps,
  user: UserRef,
  conversationId: string,
  request: PageRequest,
): Promise<Page<Memory>> {
  const { index, rows } = await rowsOfConversation(deps, user, conversationId);
  const positionOf = (row: number): Position => [index.orderTime(row), index.columns.seqs[row]];
  const { items, count, next } = pageOfList(rows, request, { positionOf, by: inOrder });
  const isMore = next !== undefined;
  return pageOfRows(deps, user, index, { rows: items, count, isMore, request, positionOf });
}

/** See `Search.aroundInConversation`. */
export async function aroundInConversation(
  deps: RetrievalDeps,
  user: UserRef,
  memory: Memory,
  limit: number,
): Promise<PageAround> {
  const { index, rows } = await rowsOfConversation(deps, user, memory.conversationId);
  const time = orderTime(memory);
  const isEarlier = (row: number) =>
    (index.orderTime(row) - time || index.columns.seqs[row] - memory.seq) < 0;
  const position = rows.filter(isEarlier).length + 1;
  const first = Math.min(position - 1 - Math.ceil(limit / 2), rows.length - limit - 1);
  const offset = Math.max(0, first);
  const page = limit === 0 ? [] : rows.slice(offset, offset + limit + 1);
  const { items, isFull } = await pageOfRecords(deps, user, index, page);
  return { items, offset, count: rows.length, position, isFull };
}

async function rowsOfConversation(deps: RetrievalDeps, user: UserRef, id: string) {
  const { index, passes } = await candidatesFor(deps, user, everything);
  const conversation = index.conversations.find(id);
  return { index, rows: Array.from(index.conversationRows.of(conversation)).filter(passes) };
}
