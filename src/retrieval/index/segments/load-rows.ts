import { otherWork } from '../../../lib/loop-time.ts';
import type { IndexReader, SegmentRef } from '../../ports.ts';
import type { UserIndex } from '../user-index.ts';
import { decodeRows, SegmentUnreadableError } from './row-segment.ts';
import { openSegment } from './segment-file.ts';

/** Segments of one user that cannot be read: the index is read from rows. */
export class UserSegmentError extends Error {
  constructor(segment: SegmentRef, cause: unknown) {
    const { space, number } = segment;
    super(`Segment ${number} of ${space === 0 ? 'the rows' : `space ${space}`} cannot be read`, { cause });
    this.name = 'UserSegmentError';
  }
}

/** @returns undefined where it is no more @throws UserSegmentError */
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

/** Those of the rows, where they hold all versions as of the change of the last of them. */
export function wholeRows(segments: readonly SegmentRef[]): readonly SegmentRef[] {
  const rows = segments.filter(({ space }) => space === 0);
  return rows.at(-1)?.whole === 1 ? rows : [];
}

/**
 * Fills an index that is empty with the rows of segments.
 * @returns false where one of them is no more: the index is of no use then @throws UserSegmentError
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
