import type { EffectiveState } from '../memories/memory.ts';
import type { EpochMs } from '../shared/time.ts';

export const relationshipTypes = [
  'SUPERSEDES',
  'FOLLOWS',
  'RESOLVES',
  'CONTRADICTS',
  'REFERENCES',
  'DUPLICATES',
] as const;
export type RelationshipType = (typeof relationshipTypes)[number];

export const creationMethods = ['manual', 'auto-semantic', 'auto-temporal', 'auto-llm'] as const;
export type CreationMethod = (typeof creationMethods)[number];

/** In UTF-16 units, of a reason that somebody states. */
export const reasonLengthMax = 1000;
/** Of one that the service finds, which quotes the words of both memories. */
export const foundReasonLengthMax = 10_000;

/** A stretch of the content of a version of a memory: its `doc`, and where it begins and ends in UTF-16 units. */
export type TextPlace = readonly [doc: number, start: number, end: number];

/** What shows that two memories are related: the words of the earlier one (the target) and of the later one (the source). */
export interface RelationshipEvidence {
  readonly earlier: TextPlace;
  readonly later: TextPlace;
}

/** A typed edge: the source replaces, comes after, solves, contradicts, points to or repeats the target. */
export interface Relationship {
  readonly id: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  readonly confidence: number;
  readonly creationMethod: CreationMethod;
  readonly reason: string | null;
  readonly createdAt: EpochMs;
  /** Absent where a person or an agent stated it. */
  readonly evidence?: RelationshipEvidence;
}

/**
 * State of a memory from the types of the live edges that point to it: superseded, then contradicted, then duplicate.
 * A later version in its chain counts as SUPERSEDES, so that no edge that goes can make an old version current.
 */
export function effectiveStateOf(incoming: Iterable<RelationshipType>): EffectiveState {
  const types = new Set(incoming);
  if (types.has('SUPERSEDES')) return 'superseded';
  if (types.has('CONTRADICTS')) return 'contradicted';
  return types.has('DUPLICATES') ? 'duplicate' : 'current';
}
