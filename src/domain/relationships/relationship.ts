import { newId } from '../../lib/random.ts';
import type { EffectiveState, Memory, OutdatedPart } from '../memories/memory.ts';
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

/** UTF-16 units of a reason that a client states. */
export const reasonLengthMax = 1000;
/** UTF-16 units of a reason that the service finds: it quotes both memories. */
export const foundReasonLengthMax = 10_000;

/** A span of the content of a version, in UTF-16 units. */
export type TextPlace = readonly [doc: number, start: number, end: number];

/** Spans that show a relationship, in the earlier memory (the target) and in the later one (the source). */
export interface RelationshipEvidence {
  readonly earlier: TextPlace;
  readonly later: TextPlace;
  /** Other parts of the target that are replaced. */
  readonly also?: readonly TextPlace[];
  /** Nothing follows for the state of the target: only `earlier` is replaced, or a text is too short to decide. */
  readonly keepsState?: true;
}

/** The source replaces, comes after, solves, contradicts, points to or repeats the target. */
export interface Relationship {
  readonly id: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  readonly confidence: number;
  readonly creationMethod: CreationMethod;
  readonly reason: string | null;
  readonly createdAt: EpochMs;
  /** Absent if a person or an agent stated it. */
  readonly evidence?: RelationshipEvidence;
  /** When a person said that a found one is right: derivation keeps it. Absent without such a decision. */
  readonly acceptedAt?: EpochMs;
}

/**
 * State of a memory by the types of the live relationships to it; the first of
 * SUPERSEDES, CONTRADICTS and DUPLICATES decides. Callers count a later
 * version in its chain as SUPERSEDES, so an old version never becomes current.
 */
export function effectiveStateOf(incoming: Iterable<RelationshipType>): EffectiveState {
  const types = new Set(incoming);
  if (types.has('SUPERSEDES')) return 'superseded';
  if (types.has('CONTRADICTS')) return 'contradicted';
  return types.has('DUPLICATES') ? 'duplicate' : 'current';
}

export type Direction = 'outgoing' | 'incoming' | 'both';

export interface Supersession {
  readonly sourceId: string;
  readonly targetId: string;
}

/** A memory that replaces another one, or a part of it. */
export interface NewerMemory {
  readonly seq: number;
  readonly id: string;
}

export interface StoredState {
  readonly memoryId: string;
  readonly effectiveState: EffectiveState;
  /** Whether parts of it are marked as outdated. */
  readonly hasParts: boolean;
}

/** One user's live relationships: both ends are live memories. */
export interface RelationshipReader {
  /** Oldest first, at most `limit`. */
  listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]>;
  /** Relationships that start or end at one of these memories (at most 1,000), in no order, at most `limit`. */
  listTouching(memoryIds: readonly string[], limit: number): Promise<Relationship[]>;
  countOutgoing(memoryId: string, type: RelationshipType): Promise<number>;
  find(id: string): Promise<Relationship | undefined>;
  findEqual(sourceId: string, targetId: string, type: RelationshipType): Promise<Relationship | undefined>;
  /** Whether a client stated this relationship, and it was removed. */
  wasRemoved(sourceId: string, targetId: string, type: RelationshipType): Promise<boolean>;
  /**
   * Pairs in which these memories (at most 10,000) supersede others (`outgoing`) or are superseded (`incoming`), by
   * relationships that decide the state and were not removed or as versions of one chain, even if an end is in the trash;
   * at most `limit`.
   * A pair may come twice.
   */
  supersessions(
    memoryIds: readonly string[],
    direction: 'outgoing' | 'incoming',
    limit: number,
  ): Promise<Supersession[]>;
  /** Stored states of the first `limit` live memories with an id above `after`, by id. */
  statesAfter(after: string, limit: number): Promise<StoredState[]>;
  /**
   * Types of the live relationships that point to each of these memories (at most 1,000) and decide its state, and
   * SUPERSEDES if its chain has a later live version; no entry for a memory without any.
   */
  incomingTypes(memoryIds: readonly string[]): Promise<ReadonlyMap<string, readonly RelationshipType[]>>;
  /**
   * Parts of these memories (at most 1,000) that live relationships replace, in order of `start`;
   * no entry for a memory without any.
   */
  outdatedParts(
    memories: readonly Pick<Memory, 'id' | 'doc' | 'content'>[],
  ): Promise<ReadonlyMap<string, readonly OutdatedPart[]>>;
  /** Those of these memories (at most 1,000) of which live relationships replace a part. */
  partlyReplaced(memoryIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * `seq` of memories that supersede one of these (at most
   * 1,000) or are superseded by it, as of `asOf` or now.
   */
  supersedingSeqs(seqs: readonly number[], asOf: EpochMs | undefined): Promise<number[]>;
  /**
   * By `seq` of these memories (at most 1,000), as of `asOf` or now: the live memories that supersede or
   * contradict it, and later versions of its chain, the last written first; no entry for a memory without any.
   */
  newerOf(
    seqs: readonly number[],
    asOf: EpochMs | undefined,
  ): Promise<ReadonlyMap<number, readonly NewerMemory[]>>;
  /** Targets of live relationships from any of `memoryIds`. */
  targetsOf(memoryIds: readonly string[]): Promise<string[]>;
}

export interface RelationshipWriter extends RelationshipReader {
  insert(relationship: Relationship): Promise<void>;
  /** From `at` on: searches as of an earlier time still see it. */
  remove(id: string, at: EpochMs): Promise<void>;
}

/** Relates a newly written memory to the one it replaces; `manual` unless `given` states another origin. */
export function newSupersedes(
  source: Memory,
  targetMemoryId: string,
  given: Partial<Relationship>,
): Relationship {
  return {
    id: newId(),
    sourceMemoryId: source.id,
    targetMemoryId,
    type: 'SUPERSEDES',
    confidence: 1,
    creationMethod: 'manual',
    reason: null,
    createdAt: source.updatedAt,
    ...given,
  };
}
