import { DAY_MS } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import { candidatesFor, passingRows, type RetrievalDeps } from '../candidates.ts';
import type { TimeBucket } from '../search-port.ts';

type HistogramGroup = 'day' | 'week' | 'month' | 'topic';

/** `2026-W05`: the ISO 8601 week of a time in UTC; a week belongs to the year of its Thursday. */
function isoWeek(time: number): string {
  const date = new Date(time);
  const thursday = time + (4 - (date.getUTCDay() || 7)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

function bucketOf(time: number, groupBy: Exclude<HistogramGroup, 'topic'>): string {
  if (groupBy === 'week') return isoWeek(time);
  return new Date(time).toISOString().slice(0, groupBy === 'day' ? 10 : 7);
}

export interface HistogramRequest {
  readonly filter: MemoryFilter;
  readonly groupBy: HistogramGroup;
  readonly limit: number;
}

/** Time buckets: the newest `limit` with something in them, oldest first. Topics: the most frequent `limit`. */
export async function memoryHistogram(
  deps: RetrievalDeps,
  user: UserRef,
  { filter, groupBy, limit }: HistogramRequest,
): Promise<TimeBucket[]> {
  const candidates = await candidatesFor(deps, user, filter);
  const { index } = candidates;
  const counts = new Map<string, number>();
  const add = (bucket: string) => counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  for (const row of passingRows(candidates)) {
    if (groupBy === 'topic') for (const topic of index.topicsOf(row)) add(index.topicNames[topic]);
    else add(bucketOf(index.columns.createdAt[row], groupBy));
  }
  const buckets = [...counts].map(([bucket, count]) => ({ bucket, count }));
  if (groupBy === 'topic') {
    return buckets.sort((a, b) => b.count - a.count || (a.bucket < b.bucket ? -1 : 1)).slice(0, limit);
  }
  return buckets.sort((a, b) => (a.bucket < b.bucket ? -1 : 1)).slice(-limit);
}
