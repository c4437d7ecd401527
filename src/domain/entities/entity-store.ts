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
  /** 0-1: of the mention. */
  readonly confidence: number;
}

/** How far the live memories of a user are derived from. */
export interface MentionTotals {
  readonly entities: number;
  /** Live memories that mention one. */
  readonly memoriesWithEntities: number;
}

/** Which live memories are counted. */
export interface DerivedScope {
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  /** Given to them or derived from them. */
  readonly topicId?: string;
}

/** What was derived from memories; each entity, fact and topic counts once. */
export interface DerivedTotals extends MentionTotals {
  readonly facts: number;
  readonly topics: number;
}

/** Reads of one user's entities. The id of one that was merged into another means the other. */
export interface EntityReader {
  find(id: string): Promise<Entity | undefined>;
  /** Most mentioned first, then by name. */
  list(query: EntityListQuery): Promise<Page<Entity>>;
  /** Live memories that mention it, the newest first. */
  listMentions(id: string, page: PageRequest): Promise<Page<MentioningVersion>>;
  /** What versions of memories mention, by their `doc`, in the order of the text. */
  listByVersions(docs: readonly number[]): Promise<ReadonlyMap<number, readonly EntityOfMemory[]>>;
  totals(): Promise<MentionTotals>;
  derivedTotals(scope: DerivedScope): Promise<DerivedTotals>;
}

/** The row of an entity, whether or not anybody sees it. */
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
  /** The name that texts give it. */
  foundName(id: string): Promise<string | undefined>;
  /** Entities shown as `id`, itself included. */
  membersOf(id: string): Promise<EntityRow[]>;
  rename(id: string, naming: EntityNaming, at: EpochMs): Promise<void>;
  /** Lets each of `ids` (at most 1,000) mean `canonicalId`. */
  redirect(ids: readonly string[], canonicalId: string): Promise<void>;
  /** Notes who decided whether the entity is a part of another. */
  setMergedBy(id: string, mergedBy: MergedBy, at: EpochMs): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
}
