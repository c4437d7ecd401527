import type { Memory } from '../../domain/memories/memory.ts';
import { isAfter } from '../../domain/shared/cursor.ts';
import type { Page, Position } from '../../domain/shared/page.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import { candidatesFor, passingRows, type RetrievalDeps } from '../candidates.ts';
import { byTime, firstRows, type RowOrder, timeOf } from '../scores/order.ts';
import type { Around, BrowseRequest, Hits, NeighbourRequest, RelatedHit } from '../search-port.ts';
import { pageOfRecords, pageOfRows } from '../shape/records.ts';

const everything: MemoryFilter = { includeSuperseded: true };

export async function browseMemories(
  deps: RetrievalDeps,
  user: UserRef,
  request: BrowseRequest,
): Promise<Page<Memory>> {
  const { limit, offset, filter, sortBy, order, after } = request;
  const candidates = await candidatesFor(deps, user, filter);
  const { index } = candidates;
  const rows = passingRows(candidates);
  const time = timeOf(index, sortBy);
  const positionOf = (row: number): Position => [time(row), index.columns.seqs[row]];
  const by = [{ order, part: 'number' } as const, { order, part: 'integer' } as const];
  const rest = after ? rows.filter(isAfter(after, positionOf, by)) : rows;
  const last = Math.min(rest.length, offset + limit);
  const page = offset >= rest.length ? [] : firstRows(rest, last, byTime(index, request)).slice(offset);
  const isMore = rest.length > last;
  return pageOfRows(deps, user, index, { rows: page, count: rows.length, isMore, request, positionOf });
}

/** All the user's memories by event time, else ingestion time; ties by order of writing. */
function chronological(index: UserIndex): RowOrder {
  return byTime(index, { sortBy: 'eventTime', order: 'asc' });
}

export async function memoriesAround(
  deps: RetrievalDeps,
  user: UserRef,
  memory: Memory,
  { before, after }: NeighbourRequest,
): Promise<Around> {
  const candidates = await candidatesFor(deps, user, everything);
  const { index } = candidates;
  const order = chronological(index);
  const here = index.rowOf(memory.doc);
  if (here < 0) return { preceding: [], following: [], isFull: false };
  const rows = passingRows(candidates).filter((row) => row !== here);
  const earlier = rows.filter((row) => order(row, here) < 0);
  const later = rows.filter((row) => order(row, here) > 0);
  const preceding = firstRows(earlier, before, (a, b) => order(b, a));
  const following = firstRows(later, after, order);
  // Nearest first, from both sides in turn: a full page leaves out the farthest.
  const outwards = Array.from({ length: Math.max(preceding.length, following.length) }, (_, i) =>
    [preceding[i], following[i]].filter((row) => row !== undefined),
  ).flat();
  const { items, isFull } = await pageOfRecords(deps, user, index, outwards);
  const isEarlier = new Set(preceding.map((row) => index.columns.docs[row]));
  return {
    preceding: items.filter(({ doc }) => isEarlier.has(doc)).reverse(),
    following: items.filter(({ doc }) => !isEarlier.has(doc)),
    isFull,
  };
}

export async function relatedByTopics(
  deps: RetrievalDeps,
  user: UserRef,
  memory: Memory,
  limit: number,
): Promise<Hits<RelatedHit>> {
  const candidates = await candidatesFor(deps, user, everything);
  const { index } = candidates;
  const here = index.rowOf(memory.doc);
  const own = new Set(here < 0 ? [] : index.topicsOf(here));
  if (own.size === 0) return { hits: [], isFull: false };
  const scores = new Float64Array(index.size);
  const shared = (row: number) => index.topicsOf(row).filter((topic) => own.has(topic));
  const rows = passingRows(candidates).filter((row) => {
    const common = shared(row).length;
    scores[row] = common / (own.size + index.topics.countOf(row) - common);
    return row !== here && common > 0;
  });
  const order: RowOrder = (a, b) => scores[b] - scores[a] || chronological(index)(b, a);
  const first = firstRows(rows, limit, order);
  const { items, isFull } = await pageOfRecords(deps, user, index, first);
  const hits = items.map((found) => {
    const row = index.rowOf(found.doc);
    return {
      memory: found,
      score: scores[row],
      sharedTopics: shared(row).map((topic) => index.topicNames[topic]),
    };
  });
  return { hits, isFull };
}
