import { Type } from 'typebox';
import { orderTime } from '../domain/memories/memory.ts';
import { textOfPassages } from '../domain/passages/passages.ts';
import { DAY_MS, toIso } from '../domain/shared/time.ts';
import type { SearchHit, SearchOutcome } from '../search/request.ts';
import { type MemoryItem, shortId, toDate, toMemoryItem } from './fields.ts';

/** Share of the best relevance below which the last hits are cut. */
const tailShare = 0.45;

/** How the query was read, and a note if nothing was found. */
export const foundFields = {
  timeRead: Type.Optional(Type.String({ description: 'The time that the query names, first to last day.' })),
  relevanceFloor: Type.Optional(Type.Number()),
  note: Type.Optional(Type.String()),
};

/**
 * The hits that are worth their tokens: up to the last one that is of a time which the query names, or has the
 * relevance floor of the service and a share of the best relevance. Hits without relevance are kept.
 */
export function worthReading(found: SearchOutcome): readonly SearchHit[] {
  const { hits, bestRelevance, relevanceFloor, timeRead = [] } = found;
  if (bestRelevance === null) return hits;
  const bar = Math.max(relevanceFloor, bestRelevance * tailShare);
  const isOfTime = ({ memory }: SearchHit) =>
    timeRead.some(({ from, to }) => from <= orderTime(memory) && orderTime(memory) < to);
  return hits.slice(0, hits.findLastIndex((hit) => (hit.relevance ?? 1) >= bar || isOfTime(hit)) + 1);
}

/** Of a long text, its one or two passages under their headings. */
export function toHitItem({ memory, passages, newer, isResolved }: SearchHit): MemoryItem {
  const { open, ...item } = toMemoryItem(memory);
  return {
    ...item,
    ...(passages && {
      content: textOfPassages(memory.content, passages),
      truncated: true,
      from: passages[0].start,
    }),
    ...(newer !== undefined && { newer: shortId(newer) }),
    ...(open && !isResolved && { open }),
  };
}

function periodOf({ from, to }: { readonly from: number; readonly to: number }): string {
  const isDays = from % DAY_MS === 0 && to % DAY_MS === 0;
  if (!isDays) return `${toIso(from)} to ${toIso(to)}`;
  const [first, last] = [toDate(from), toDate(to - DAY_MS)];
  return first === last ? first : `${first} to ${last}`;
}

/** @param count of the hits that are worth reading, on all pages */
export function aboutSearch(
  { timeRead = [], hasTimeRead = true, total, bestRelevance, relevanceFloor }: SearchOutcome,
  count: number,
) {
  const read = timeRead.map((time) => `${time.text}: ${periodOf(time)}`).join('; ');
  const notes = [
    ...(count === 0 ? ['Nothing was found.'] : []),
    ...(hasTimeRead ? [] : [`No memory is of that time${count > 0 ? ': these are of other times' : ''}.`]),
    ...(count === 0 && total > 0 ? ['`search` with `minRelevance: 0` shows what is nearest.'] : []),
  ];
  return {
    ...(read !== '' && { timeRead: read }),
    ...(bestRelevance !== null && { relevanceFloor }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}
