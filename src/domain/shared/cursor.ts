import { hash } from 'node:crypto';
import { invalidInput } from './errors.ts';
import type { Page, PageRequest, Position } from './page.ts';
import { isStorable } from './storable-text.ts';

/** Maximum length of a cursor: a position contains at most one text, a name. */
export const cursorLengthMax = 4096;
/** Characters of the hash that ties a cursor to its list: 72 bits. */
const listHashLength = 12;

/** Identity of a cursor's list: its owner, kind, filters and order. */
export type ListScope = readonly unknown[];

/** Kinds of values in a position. */
type PositionPart = 'integer' | 'number' | 'text';

/** Sort keys of a list, the first one first. */
export interface OrderPart {
  readonly order: 'asc' | 'desc';
  readonly part: PositionPart;
}

const refused = () =>
  invalidInput('cursor', 'must be a nextCursor of this list, sent with the same filters and order');

/** A position in the form for clients. It contains a hash of its list, so that another list refuses it. */
export function toCursor(position: Position, list: ListScope): string {
  return Buffer.from(JSON.stringify([hashOf(list), ...position])).toString('base64url');
}

/** @throws 422 for anything but a cursor of this list */
export function fromCursor(cursor: string, list: ListScope): Position {
  const [own, ...position] = partsOf(cursor);
  if (own !== hashOf(list)) throw refused();
  const isPosition = position.every((part) => typeof part === 'number' || typeof part === 'string');
  if (!isPosition || position.length === 0) throw refused();
  return position as unknown as Position;
}

/** @throws 422 for a position that a list with these values cannot have returned */
export function assertPosition(position: Position, ...parts: readonly PositionPart[]): void {
  const isOf = (value: number | string, part: PositionPart) => {
    if (part === 'integer') return Number.isSafeInteger(value);
    return part === 'number' ? Number.isFinite(value) : typeof value === 'string' && isStorable(value);
  };
  if (position.length !== parts.length || !parts.every((part, i) => isOf(position[i], part))) throw refused();
}

/** Below 0 if `a` comes before `b` in this order. */
export function comparePositions(a: Position, b: Position, by: readonly OrderPart[]): number {
  const at = by.findIndex((_, i) => a[i] !== b[i]);
  if (at < 0) return 0;
  const isFirst = a[at] < b[at];
  return isFirst === (by[at].order === 'asc') ? -1 : 1;
}

/** Whether an item comes after a position. @throws 422 for a position that the list cannot have returned */
export function isAfter<T>(
  after: Position,
  positionOf: (item: T) => Position,
  by: readonly OrderPart[],
): (item: T) => boolean {
  assertPosition(after, ...by.map(({ part }) => part));
  return (item) => comparePositions(positionOf(item), after, by) > 0;
}

interface SortedBy<T> {
  readonly positionOf: (item: T) => Position;
  readonly by: readonly OrderPart[];
}

/** A page of an ordered list in memory. */
export function pageOfList<T>(
  sorted: readonly T[],
  { limit, offset, after }: PageRequest,
  { positionOf, by }: SortedBy<T>,
): Page<T> {
  const rest = after ? sorted.filter(isAfter(after, positionOf, by)) : sorted;
  const items = rest.slice(offset, offset + limit);
  const last = items.at(-1);
  const isMore = rest.length > offset + limit;
  return {
    items,
    limit,
    offset,
    count: sorted.length,
    ...(isMore && last !== undefined && { next: positionOf(last) }),
  };
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    // Not JSON: no list returned this cursor.
    return [];
  }
}

function hashOf(list: ListScope): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, listHashLength);
}
