import type { EpochMs } from '../shared/time.ts';
import type { EntityType } from './entity-type.ts';

/**
 * The origin of a merge: a rule, which may be wrong, or a person; null for names that are surely the same.
 */
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
}

/** Maximum entities shown with a memory: the first in its text. */
export const entitiesOfMemoryMax = 100;
/** Maximum length of a name that a person writes, in UTF-16 units. */
export const entityNameMax = 200;
