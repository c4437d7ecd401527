import type { RowTest } from '../../search-index/columns/row-set.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import type { MemoryOrder } from '../request.ts';

/** Compares two rows: below 0 when the first comes first. */
export type RowOrder = (a: number, b: number) => number;

function siftDown(heap: number[], order: RowOrder): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    let last = at;
    if (left < heap.length && order(heap[left], heap[last]) > 0) last = left;
    if (right < heap.length && order(heap[right], heap[last]) > 0) last = right;
    if (last === at) return;
    [heap[at], heap[last]] = [heap[last], heap[at]];
    at = last;
  }
}

function siftUp(heap: number[], order: RowOrder): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (order(heap[at], heap[parent]) <= 0) return;
    [heap[at], heap[parent]] = [heap[parent], heap[at]];
    at = parent;
  }
}

/**
 * The first `count` of `rows` in `order`, sorted, by a bounded heap: a page is small against all matches.
 * @param scores the first key of the order, descending, if any: it skips nearly all rows without a call
 */
export function firstRows(
  rows: ArrayLike<number>,
  count: number,
  order: RowOrder,
  scores?: Float64Array,
): number[] {
  if (count >= rows.length / 4) return Array.from(rows).sort(order).slice(0, count);
  const heap: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (heap.length < count) {
      heap.push(rows[i]);
      siftUp(heap, order);
    } else if (
      count > 0 &&
      !(scores !== undefined && scores[rows[i]] < scores[heap[0]]) &&
      order(rows[i], heap[0]) < 0
    ) {
      heap[0] = rows[i];
      siftDown(heap, order);
    }
  }
  return heap.sort(order);
}

/**
 * Rank, from 1, of each of `values` above 0 among the scores of the `rows` that
 * pass: one more than the number of higher scores. One pass over the rows, with
 * a binary search among the few values. The rank of a value of 0 is undefined.
 */
export function ranksAmong(
  values: readonly number[],
  rows: ArrayLike<number>,
  scores: Float64Array,
  passes: RowTest,
): number[] {
  const sorted = [...new Set(values.filter((value) => value > 0))].sort((a, b) => a - b);
  const higher = new Array<number>(sorted.length + 1).fill(0);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    // Most rows lie below a page of the best.
    if (!(scores[row] > sorted[0] && passes(row))) continue;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < scores[row]) low = middle + 1;
      else high = middle;
    }
    higher[low]++;
  }
  for (let i = sorted.length - 1; i >= 0; i--) higher[i] += higher[i + 1];
  return values.map((value) => higher[sorted.indexOf(value) + 1] + 1);
}

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

/** @param rows rising */
export function includesRow(rows: Int32Array, row: number): boolean {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return rows[low] === row;
}
