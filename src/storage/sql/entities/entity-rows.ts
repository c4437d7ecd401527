import { sql } from 'kysely';
import type {
  Entity,
  EntityCount,
  EntityType,
  MergedBy,
  MergedEntity,
} from '../../../domain/entities/entity.ts';
import { join } from '../core/joins.ts';
import { listQuery } from '../core/list-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const shownColumns = [
  'shown.id',
  'shown.name',
  'shown.name_key',
  'shown.type',
  'shown.found_type',
  'shown.corrected',
  'shown.created_at',
  'shown.updated_at',
] as const;

export interface EntityRecord {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  readonly type: string;
  readonly found_type: string;
  readonly corrected: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A visible entity, with the totals of its live mentions. */
export interface ShownRow extends EntityRecord {
  readonly mention_count: number | string;
  readonly confidence: number;
  readonly first_seen: number;
  readonly last_seen: number;
}

export const shownIn = (mentions: ReturnType<typeof liveMentions>) =>
  mentions
    .groupBy(shownColumns)
    .select(shownColumns)
    .select([
      sql<number>`count(DISTINCT entity_mentions.doc)`.as('mention_count'),
      sql<number>`max(entity_mentions.confidence)`.as('confidence'),
      sql<number>`min(memories.created_at)`.as('first_seen'),
      sql<number>`max(memories.created_at)`.as('last_seen'),
    ]);

/** Versions of a list that mention an entity; a version that mentions merged ones counts once. */
export const countsInVersions = listQuery<number, EntityCount>((tables, docs) =>
  tables
    .selectFrom('entity_mentions')
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('entity_mentions.doc', 'in', docs)
    .where('shown.trashed_at', 'is', null)
    .groupBy(['shown.id', 'shown.name'])
    .select(['shown.id', 'shown.name'])
    .select(sql<number>`count(DISTINCT entity_mentions.doc)`.as('count')),
);

/** A name of an entity in live memories. */
export interface NameRow {
  readonly shown_id: string;
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly merged_by: string | null;
  /** Its spelling in a text. */
  readonly spelt: string;
}

export const namesOfEntities = (tables: UserTables, shownIds: readonly string[]) =>
  liveMentions(tables)
    .where('entities.canonical_id', 'in', shownIds)
    // Only names that a person wrote differ from those in texts.
    .where((eb) => eb.or([eb('entities.corrected', '=', 1), eb('entities.id', '<>', eb.ref('shown.id'))]))
    .groupBy(['shown.id', 'entities.id', 'entities.name', 'entities.type', 'entities.merged_by'])
    .select(['shown.id as shown_id', 'entities.id', 'entities.name', 'entities.type', 'entities.merged_by'])
    .select(sql<string>`min(entity_mentions.name)`.as('spelt'))
    .orderBy('entities.name')
    .orderBy('entities.id');

const toMerged = ({ id, name, type, merged_by }: NameRow): MergedEntity => ({
  id,
  name,
  type: type as EntityType,
  mergedBy: merged_by as MergedBy,
});

/** @param names names in memories; the entity's own one if a person wrote it */
export function toEntity(row: ShownRow, names: readonly NameRow[]): Entity {
  const merged = names.filter(({ id }) => id !== row.id).map(toMerged);
  const spelt = names.filter(({ name, spelt: text }) => name !== text).map(({ spelt: text }) => text);
  const aliases = new Set([...merged.map(({ name }) => name), ...spelt]);
  aliases.delete(row.name);
  return {
    id: row.id,
    name: row.name,
    type: row.type as EntityType,
    foundType: row.found_type as EntityType,
    isCorrected: row.corrected === 1,
    aliases: [...aliases],
    merged,
    confidence: row.corrected === 1 ? 1 : row.confidence,
    mentionCount: Number(row.mention_count),
    firstSeenAt: row.first_seen,
    lastSeenAt: row.last_seen,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/**
 * Mentions in the current versions of live memories, with the
 * entity named (`entities`) and the one it is shown as (`shown`).
 */
export const liveMentions = (tables: UserTables) =>
  tables
    .selectFrom('entity_mentions')
    .$call(join('memory_versions', 'entity_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory())
    .where('shown.trashed_at', 'is', null);
