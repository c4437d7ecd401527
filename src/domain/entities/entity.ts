import type { EpochMs } from '../shared/time.ts';
import type { EntityType } from './entity-type.ts';

/** Who took one entity for another: a rule, which may be wrong, or a person; `null` for names that are surely one. */
export type MergedBy = 'rule' | 'person' | null;

/** An entity that is shown as a part of another. */
export interface MergedEntity {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly mergedBy: MergedBy;
}

/** Somebody or something that memories mention. It is seen as long as a live memory mentions it under one of its names. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  /** The type that derivation gives it; another one than `type` where a person corrected that. */
  readonly foundType: EntityType;
  /** Whether a person wrote its name or type. */
  readonly isCorrected: boolean;
  /** Other names by which memories call it. */
  readonly aliases: readonly string[];
  /** Entities that were merged into it, and are mentioned. */
  readonly merged: readonly MergedEntity[];
  /** 0-1: of its surest mention. */
  readonly confidence: number;
  /** Live memories that mention it. */
  readonly mentionCount: number;
  /** When the first and the last of them were written. */
  readonly firstSeenAt: EpochMs;
  readonly lastSeenAt: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** An entity as it is shown with a memory. */
export interface EntityOfMemory {
  readonly id: string;
  readonly name: string;
  readonly type: EntityType;
  readonly confidence: number;
}

/** Entities shown with one memory: those that it mentions first. */
export const entitiesOfMemoryMax = 100;
/** In UTF-16 units, of a name that a person writes. */
export const entityNameMax = 200;
