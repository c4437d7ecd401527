import type { EffectiveState } from '../memories/memory.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Relationship, RelationshipType } from './relationship.ts';

export type Direction = 'outgoing' | 'incoming' | 'both';

export interface Supersession {
  readonly sourceId: string;
  readonly targetId: string;
}

export interface StoredState {
  readonly memoryId: string;
  readonly effectiveState: EffectiveState;
}

/** Reads of one user's live edges: both ends are live memories. */
export interface RelationshipReader {
  /** Oldest first, at most `limit`. */
  listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]>;
  /** Edges that start or end at one of these memories, in no order, at most `limit`; at most 1,000 memories. */
  listTouching(memoryIds: readonly string[], limit: number): Promise<Relationship[]>;
  countOutgoing(memoryId: string, type: RelationshipType): Promise<number>;
  find(id: string): Promise<Relationship | undefined>;
  findEqual(sourceId: string, targetId: string, type: RelationshipType): Promise<Relationship | undefined>;
  /**
   * Edges not taken away by which these memories supersede others (`outgoing`) or are superseded (`incoming`), and
   * the versions before or after them in their chains, also where an end is in the trash; at most `limit`, for at most
   * 10,000 memories. One may come twice.
   */
  supersessions(
    memoryIds: readonly string[],
    direction: 'outgoing' | 'incoming',
    limit: number,
  ): Promise<Supersession[]>;
  /** The first `limit` live memories after the id `after`, by id, with the state that is stored. */
  statesAfter(after: string, limit: number): Promise<StoredState[]>;
  /**
   * Types of the live edges that point to each of these, and SUPERSEDES where a later live version is in its chain;
   * those without any are left out. At most 1,000.
   */
  incomingTypes(memoryIds: readonly string[]): Promise<ReadonlyMap<string, readonly RelationshipType[]>>;
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
  /** From `at` on; what stood before stays known as of then. */
  remove(id: string, at: EpochMs): Promise<void>;
}
