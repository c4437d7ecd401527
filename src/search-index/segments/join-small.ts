import { otherWork } from '../../lib/loop-time.ts';
import type { IndexReader, SegmentRef } from '../ports.ts';
import { contentOf } from './load-rows.ts';

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
