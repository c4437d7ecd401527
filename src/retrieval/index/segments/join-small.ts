import { otherWork } from '../../../lib/loop-time.ts';
import type { IndexReader, SegmentRef } from '../../ports.ts';
import { contentOf } from './load-rows.ts';

/** How the content of two segments becomes that of one. */
export interface Joining<B extends { readonly count: number }> {
  readonly decode: (content: Buffer) => B;
  readonly join: (older: B, newer: B) => B;
  /** Entries that one segment has at most. */
  readonly entriesMax: number;
}

/** Takes in segments before the new one that are not much larger, so that there are few, and each entry is written a few times. */
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
    // Another process joined it: this change is refused.
    if (!older) break;
    block = join(older, block);
    removed.push(before);
    await otherWork();
  }
  return { block, removed };
}
