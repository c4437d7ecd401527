import { otherWork } from '../../lib/loop-time.ts';
import { decodeRows, SegmentUnreadableError } from '../columns/row-segment.ts';
import type { IndexReader, SegmentRef } from '../ports.ts';
import type { UserIndex } from '../rows/user-index.ts';
import { openSegment } from './segment-file.ts';

/** A segment of one user cannot be read: the index is read from rows instead. */
export class UserSegmentError extends Error {
  constructor(segment: SegmentRef, cause: unknown) {
    const { space, number } = segment;
    super(`Segment ${number} of ${space === 0 ? 'the rows' : `space ${space}`} cannot be read`, { cause });
    this.name = 'UserSegmentError';
  }
}

/**
 * @returns undefined if it no longer exists
 * @throws UserSegmentError
 */
export async function contentOf<T>(
  reader: IndexReader,
  segment: SegmentRef,
  decode: (content: Buffer) => T,
): Promise<T | undefined> {
  const data = await reader.segments.data(segment);
  if (!data) return undefined;
  try {
    return decode(openSegment(data));
  } catch (error) {
    if (error instanceof SegmentUnreadableError) throw new UserSegmentError(segment, error);
    throw error;
  }
}

/** Segments of rows, if they contain all versions as of the change of the last segment; else none. */
export function wholeRows(segments: readonly SegmentRef[]): readonly SegmentRef[] {
  const rows = segments.filter(({ space }) => space === 0);
  return rows.at(-1)?.whole === 1 ? rows : [];
}

/**
 * Loads the rows of segments into an empty index.
 * @returns false if a segment no longer exists: the index is useless then
 * @throws UserSegmentError
 */
export async function loadRows(
  reader: IndexReader,
  index: UserIndex,
  segments: readonly SegmentRef[],
): Promise<boolean> {
  const rows = wholeRows(segments);
  index.columns.reserve(rows.reduce((sum, { added }) => sum + added, 0));
  for (const segment of rows) {
    const block = await contentOf(reader, segment, decodeRows);
    if (!block) return false;
    index.take(block, segment.lastRev);
    await otherWork();
  }
  return true;
}

/** How the contents of two segments are joined into one. */
export interface Joining<B extends { readonly count: number }> {
  readonly decode: (content: Buffer) => B;
  readonly join: (older: B, newer: B) => B;
  /** Maximum entries of a segment. */
  readonly entriesMax: number;
}

/**
 * Joins previous segments that are not much larger with the new one:
 * segments stay few, and each entry is rewritten a few times only.
 */
export async function joinSmall<B extends { readonly count: number }>(
  reader: IndexReader,
  added: B,
  present: readonly SegmentRef[],
  { decode, join, entriesMax }: Joining<B>,
): Promise<{ block: B; removed: readonly SegmentRef[] }> {
  let block = added;
  const removed: SegmentRef[] = [];
  for (const before of present.toReversed()) {
    if (before.entries >= 2 * block.count || before.entries + block.count > entriesMax) break;
    const older = await contentOf(reader, before, decode);
    // Another process joined it: this change will be refused.
    if (!older) break;
    block = join(older, block);
    removed.push(before);
    await otherWork();
  }
  return { block, removed };
}
