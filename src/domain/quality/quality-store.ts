import type { QualityTraits } from './quality.ts';

/** Reads of one user's live memories for judging them. */
export interface QualityReader {
  /** Live memories written after `seq`, in the order of writing, at most `limit`; with the seq of the last. */
  traitsAfter(
    seq: number,
    limit: number,
  ): Promise<{ readonly traits: readonly QualityTraits[]; readonly lastSeq: number | undefined }>;
  /** Memories that begin or resolve a narrative. */
  narrativeEnds(): Promise<ReadonlySet<string>>;
}
