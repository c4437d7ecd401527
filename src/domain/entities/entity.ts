import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** The origin of a merge: a rule (possibly wrong) or a person; null for names that are surely the same. */
export type MergedBy = 'rule' | 'person' | null;

/** An entity that was merged into another. */
export interface MergedEntity {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly mergedBy: MergedBy;
}

/**
 * A person or thing that memories mention. It is visible
 * while a live memory mentions it under one of its names.
 */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  /** The derived type; differs from `type` if a person corrected it. */
  readonly foundType: EntityType;
  /** Whether a person wrote its name or type. */
  readonly isCorrected: boolean;
  /** Other names by which memories mention it. */
  readonly aliases: readonly string[];
  /** Entities that were merged into it and are mentioned. */
  readonly merged: readonly MergedEntity[];
  /** Confidence of its most certain mention, 0 to 1. */
  readonly confidence: number;
  /** Live memories that mention it. */
  readonly mentionCount: number;
  /** Creation times of the oldest and the newest of these memories. */
  readonly firstSeenAt: EpochMs;
  readonly lastSeenAt: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** An entity as shown with a memory. */
export interface EntityOfMemory {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly confidence: number;
  /** Its first mention in UTF-16 units of the text; absent if it is not in the text. */
  readonly start?: number;
  readonly end?: number;
}

/** Maximum entities shown with a memory: the first in its text. */
export const entitiesOfMemoryMax = 100;
/** Maximum length of a name that a person writes, in UTF-16 units. */
export const entityNameMax = 200;

export const entityTypes = [
  'PERSON',
  'ORGANIZATION',
  'CONCEPT',
  'PROJECT',
  'TECHNOLOGY',
  'COMPONENT',
  'API_ENDPOINT',
  'FILE',
  'LOCATION',
] as const;
export type EntityType = (typeof entityTypes)[number];

export const entitySorts = ['mentionCount', 'name', 'firstSeenAt', 'lastSeenAt'] as const;
export type EntitySort = (typeof entitySorts)[number];

export interface EntityOrder {
  readonly sortBy: EntitySort;
  readonly order: 'asc' | 'desc';
}

export interface EntityListQuery extends PageRequest, EntityOrder {
  readonly type?: EntityType;
  /** A part of one of its names, compared without case and accents. */
  readonly name?: string;
}

/** A version of a memory that mentions an entity. */
export interface MentioningVersion {
  readonly doc: number;
  /** Confidence of the mention, 0 to 1. */
  readonly confidence: number;
}

/** An entity with the number of versions, among those asked for, that mention it. */
export interface EntityCount {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

/** Totals of the entities that live memories mention. */
export interface MentionTotals {
  readonly entities: number;
  /** Live memories that mention an entity. */
  readonly memoriesWithEntities: number;
}

/** Filter for the live memories that are counted. */
export interface DerivedScope {
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  /** Topic of the memories, given or derived. */
  readonly topicId?: string;
}

/** Totals of derived records; each entity, fact and topic counts once. */
export interface DerivedTotals extends MentionTotals {
  readonly facts: number;
  readonly topics: number;
}

/** Reads one user's entities. The id of a merged entity resolves to its target. */
export interface EntityReader {
  find(id: string): Promise<Entity | undefined>;
  /** Equal ones by name, then by type. */
  list(query: EntityListQuery): Promise<Page<Entity>>;
  /** Live memories that mention the entity, newest first. */
  listMentions(id: string, page: PageRequest): Promise<Page<MentioningVersion>>;
  /** Docs of all versions, earlier ones too, that mention the entity. */
  docsMentioning(id: string): Promise<number[]>;
  /** Entities that versions mention, by their `doc`, in the order of the text. */
  listByVersions(docs: readonly number[]): Promise<ReadonlyMap<number, readonly EntityOfMemory[]>>;
  /** Entities that versions (at most 1,000, by their `doc`) mention, in no fixed order. */
  countByVersions(docs: readonly number[]): Promise<readonly EntityCount[]>;
  totals(): Promise<MentionTotals>;
  derivedTotals(scope: DerivedScope): Promise<DerivedTotals>;
}

/** The row of an entity, visible or not. */
export interface EntityRow {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly foundType: EntityType;
  readonly canonicalId: string;
  readonly mergedBy: MergedBy;
  readonly trashedAt: EpochMs | null;
}

export interface EntityNaming {
  readonly name: string;
  readonly type: EntityType;
  /** Whether a person wrote one of them. */
  readonly isCorrected: boolean;
}

export interface EntityWriter extends EntityReader {
  findRow(id: string): Promise<EntityRow | undefined>;
  /** The name as derived from texts. */
  foundName(id: string): Promise<string | undefined>;
  /** Entities that resolve to `id`, itself included. */
  membersOf(id: string): Promise<EntityRow[]>;
  rename(id: string, naming: EntityNaming, at: EpochMs): Promise<void>;
  /** Makes each of `ids` (at most 1,000) resolve to `canonicalId`. */
  redirect(ids: readonly string[], canonicalId: string): Promise<void>;
  /** Records whether a rule or a person decided on merging the entity. */
  setMergedBy(id: string, mergedBy: MergedBy, at: EpochMs): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Erases the edits of people to an entity in the trash; it stays hidden. */
  erase(id: string): Promise<void>;
}
