import type { Memory } from '../domain/memories/memory.ts';
import type { Page } from '../domain/shared/page.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { candidatesFor, passingRows, type RetrievalParts } from './candidates.ts';
import type { UserIndex } from './index/user-index.ts';
import { firstRows, type RowOrder } from './rank/order.ts';
import { byTime } from './rank/sort-orders.ts';
import { recordsOf } from './records.ts';
import type { MemoryFilter } from './request.ts';
import type { BrowseRequest, NeighbourRequest, RelatedHit } from './search-port.ts';

const everything: MemoryFilter = { includeSuperseded: true };

export async function browseMemories(
  parts: RetrievalParts,
  user: UserRef,
  request: BrowseRequest,
): Promise<Page<Memory>> {
  const { limit, offset, filter } = request;
  const candidates = await candidatesFor(parts, user, filter);
  const rows = passingRows(candidates);
  const last = Math.min(rows.length, offset + limit);
  const page =
    offset >= rows.length ? [] : firstRows(rows, last, byTime(candidates.index, request)).slice(offset);
  return { items: await recordsOf(parts, user, candidates.index, page), limit, offset, count: rows.length };
}

/** All the user's memories by event time, else ingestion time; ties by order of writing. */
function chronological(index: UserIndex): RowOrder {
  return byTime(index, { sortBy: 'eventTime', order: 'asc' });
}

export async function memoriesAround(
  parts: RetrievalParts,
  user: UserRef,
  memory: Memory,
  { before, after }: NeighbourRequest,
): Promise<{ preceding: Memory[]; following: Memory[] }> {
  const candidates = await candidatesFor(parts, user, everything);
  const { index } = candidates;
  const order = chronological(index);
  const here = index.rowOf(memory.doc);
  if (here < 0) return { preceding: [], following: [] };
  const rows = passingRows(candidates).filter((row) => row !== here);
  const earlier = rows.filter((row) => order(row, here) < 0);
  const later = rows.filter((row) => order(row, here) > 0);
  const preceding = firstRows(earlier, before, (a, b) => order(b, a)).reverse();
  const following = firstRows(later, after, order);
  return {
    preceding: await recordsOf(parts, user, index, preceding),
    following: await recordsOf(parts, user, index, following),
  };
}

export async function relatedByTopics(
  parts: RetrievalParts,
  user: UserRef,
  memory: Memory,
  limit: number,
): Promise<RelatedHit[]> {
  const candidates = await candidatesFor(parts, user, everything);
  const { index } = candidates;
  const here = index.rowOf(memory.doc);
  const own = new Set(here < 0 ? [] : index.topicsOf(here));
  if (own.size === 0) return [];
  const scores = new Float64Array(index.size);
  const shared = (row: number) => index.topicsOf(row).filter((topic) => own.has(topic));
  const rows = passingRows(candidates).filter((row) => {
    const common = shared(row).length;
    scores[row] = common / (own.size + index.topicsOf(row).length - common);
    return row !== here && common > 0;
  });
  const order: RowOrder = (a, b) => scores[b] - scores[a] || chronological(index)(b, a);
  const first = firstRows(rows, limit, order);
  const memories = await recordsOf(parts, user, index, first);
  return memories.map((found, i) => ({
    memory: found,
    score: scores[first[i]],
    sharedTopics: shared(first[i]).map((topic) => index.topicNames[topic]),
  }));
}
