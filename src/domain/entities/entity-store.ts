import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Entity, EntityOfMemory, MergedBy } from './entity.ts';
import type { EntityType } from './entity-type.ts';

export interface EntityListQuery extends PageRequest {
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
  /** Most mentioned first, then by name. */
  list(query: EntityListQuery): Promise<Page<Entity>>;
  /** Live memories that mention the entity, newest first. */
  listMentions(id: string, page: PageRequest): Promise<Page<MentioningVersion>>;
  /** Entities that versions mention, by their `doc`, in the order of the text. */
  listByVersions(docs: readonly number[]): Promise<ReadonlyMap<number, readonly EntityOfMemory[]>>;
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
  /** Erases what a person wrote about an entity in the trash; it stays hidden. */
  erase(id: string): Promise<void>;
}
