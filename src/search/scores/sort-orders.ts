import type { UserIndex } from '../../search-index/rows/user-index.ts';
import type { MemoryOrder } from '../request.ts';
import { firstRows, type RowOrder } from './order.ts';

/** By score, highest first; then by time, newest first; then by order of writing, last first. A total order. */
export function byScore(index: UserIndex, scores: Float64Array): RowOrder {
  const { seqs } = index.columns;
  return (a, b) => scores[b] - scores[a] || index.orderTime(b) - index.orderTime(a) || seqs[b] - seqs[a];
}

/** The first `count` rows by score, or all there are. */
export function bestRows(
  rows: ArrayLike<number>,
  count: number,
  index: UserIndex,
  scores: Float64Array,
): number[] {
  return firstRows(rows, Math.min(count, rows.length), byScore(index, scores), scores);
}

/** The time of a memory by which a list is sorted. */
export function timeOf(index: UserIndex, sortBy: MemoryOrder['sortBy']): (row: number) => number {
  const { createdAt, updatedAt } = index.columns;
  return (row) => {
    if (sortBy === 'updatedAt') return updatedAt[row];
    return sortBy === 'eventTime' ? index.orderTime(row) : createdAt[row];
  };
}

/** By a time of the memory; ties go by order of writing, in the same direction. */
export function byTime(index: UserIndex, { sortBy, order }: MemoryOrder): RowOrder {
  const { seqs } = index.columns;
  const direction = order === 'asc' ? 1 : -1;
  const time = timeOf(index, sortBy);
  return (a, b) => direction * (time(a) - time(b) || seqs[a] - seqs[b]);
}
