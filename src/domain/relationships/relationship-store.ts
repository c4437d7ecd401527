import type { EpochMs } from '../shared/time.ts';
import type { Relationship, RelationshipType } from './relationship.ts';

export type Direction = 'outgoing' | 'incoming' | 'both';

/** Reads of one user's live edges: both ends are live memories. */
export interface RelationshipReader {
  /** Oldest first, at most `limit`. */
  listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]>;
  find(id: string): Promise<Relationship | undefined>;
  findEqual(sourceId: string, targetId: string, type: RelationshipType): Promise<Relationship | undefined>;
  /** What these memories supersede; at most 10,000 are asked about. */
  supersededBy(
    sourceIds: readonly string[],
  ): Promise<{ readonly sourceId: string; readonly targetId: string }[]>;
  /** Ids after `after`, in order, of live memories that have a state or an edge that gives one; the first `limit`. */
  withStates(after: string, limit: number): Promise<string[]>;
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
  /** Makes transactions of the user that ask for it, in any process, run one after another. */
  lock(): Promise<void>;
  insert(relationship: Relationship): Promise<void>;
  /** From `at` on; what stood before stays known as of then. */
  remove(id: string, at: EpochMs): Promise<void>;
}
