import type { EpochMs } from '../shared/time.ts';
import type { Relationship, RelationshipType } from './relationship.ts';

export type Direction = 'outgoing' | 'incoming' | 'both';

/** Reads of one user's live edges: both ends are live memories. */
export interface RelationshipReader {
  /** Oldest first, at most `limit`. */
  listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]>;
  incomingTypes(memoryId: string): Promise<RelationshipType[]>;
  /**
   * Memories, by `seq`, that supersede one of these or are superseded by it, by edges that stood at `asOf`, else stand
   * now. At most 1,000 are asked about.
   */
  supersedingSeqs(seqs: readonly number[], asOf: EpochMs | undefined): Promise<number[]>;
  /** Targets of live edges that go out from any of `memoryIds`. */
  targetsOf(memoryIds: readonly string[]): Promise<string[]>;
}

export interface RelationshipWriter extends RelationshipReader {
  insert(relationship: Relationship): Promise<void>;
}
