import { type Static, Type } from 'typebox';
import type { Entity } from '../../domain/entities/entity.ts';
import { entityTypes } from '../../domain/entities/entity-type.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

export const entityTypeField = oneOf(entityTypes, component('EntityType'));

const MergedEntitySchema = Type.Object(
  {
    id: Type.String({ description: 'What unmerge takes.' }),
    name: Type.String(),
    type: entityTypeField,
    mergedBy: Type.Optional(
      oneOf(['rule', 'person'], {
        description: 'rule: a guess, which may be wrong. Absent where the names are surely of one thing.',
      }),
    ),
  },
  component('MergedEntity'),
);

export const EntityNodeSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.entity] }),
    userId: Type.String(),
    name: Type.String(),
    normalizedName: Type.String({ description: 'The name in lower case.' }),
    type: entityTypeField,
    aliases: Type.Array(Type.String(), { description: 'Other names by which memories call it.' }),
    confidence: Type.Number({ description: '0-1: of its surest mention; 1 where a person corrected it.' }),
    firstSeenAt: Type.String({ description: 'When the first memory that mentions it was written.' }),
    lastSeenAt: Type.String({ description: 'When the last one was.' }),
    mentionCount: Type.Integer({ description: 'Memories that mention it, without those in the trash.' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    foundType: Type.Optional(
      Type.Unsafe<Entity['foundType']>({
        type: 'string',
        description: 'The type that derivation gave it, where a person gave it another one.',
      }),
    ),
    corrected: Type.Boolean({ description: 'Whether a person wrote its name or type.' }),
    mergedEntities: Type.Array(MergedEntitySchema, {
      description: 'Entities that are shown as a part of this one.',
    }),
  },
  component('EntityNode'),
);

export function toEntityRecord(entity: Entity, user: UserRef): Static<typeof EntityNodeSchema> {
  return {
    id: entity.id,
    userId: user.publicId,
    name: entity.name,
    normalizedName: entity.name.toLowerCase(),
    type: entity.type,
    aliases: [...entity.aliases],
    confidence: entity.confidence,
    firstSeenAt: toIso(entity.firstSeenAt),
    lastSeenAt: toIso(entity.lastSeenAt),
    mentionCount: entity.mentionCount,
    createdAt: toIso(entity.createdAt),
    updatedAt: toIso(entity.updatedAt),
    ...(entity.foundType !== entity.type && { foundType: entity.foundType }),
    corrected: entity.isCorrected,
    mergedEntities: entity.merged.map(({ id, name, type, mergedBy }) => ({
      id,
      name,
      type,
      ...(mergedBy && { mergedBy }),
    })),
  };
}

/**
 * The fields that an ETag of an entity covers: those that a person
 * can edit. A new mention must not make an edit a conflict.
 */
export const editableEntity = ({ id, name, type, isCorrected, merged }: Entity) => ({
  id,
  name,
  type,
  isCorrected,
  merged,
});
