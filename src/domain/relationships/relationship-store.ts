import type { Relationship, RelationshipType } from './relationship.ts';

export type Direction = 'outgoing' | 'incoming' | 'both';

/** Reads of one user's live edges: both ends are live memories. */
export interface RelationshipReader {
  /** Oldest first, at most `limit`. */
  listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]>;
  incomingTypes(memoryId: string): Promise<RelationshipType[]>;
  /** Targets of live edges that go out from any of `memoryIds`. */
  targetsOf(memoryIds: readonly string[]): Promise<string[]>;
}

export interface RelationshipWriter extends RelationshipReader {
  insert(relationship: Relationship): Promise<void>;
}
