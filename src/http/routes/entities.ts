import type { Static } from 'typebox';
import { type Entity, entityNameMax, entitySorts } from '../../domain/entities/entity.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { bodyOf, dataOf, inTrash, pageOf } from '../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../schemas/memory.ts';
import { TruncatedMetaSchema, toListPage, toPagination, truncatedMeta } from '../schemas/pagination.ts';
import { cursorQuery, idParams, oneOf, recordId, sortDirection } from '../schemas/query.ts';
import { entityTypeField } from '../schemas/records.ts';
import { sampleIds } from '../schemas/samples.ts';
import { nameTrashEntry } from './trash.ts';

const MergedEntitySchema = Type.Object(
  {
    id: Type.String({ description: 'What unmerge takes.' }),
    name: Type.String(),
    type: entityTypeField,
    mergedBy: Type.Optional(
      oneOf(['rule', 'person'], {
        description: 'rule: a guess, which may be wrong. Absent if the names certainly mean the same thing.',
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
        description: 'The derived type, if a person changed it.',
      }),
    ),
    corrected: Type.Boolean({ description: 'Whether a person wrote its name or type.' }),
    mergedEntities: Type.Array(MergedEntitySchema, {
      description: 'Entities that are shown as a part of this one.',
    }),
  },
  component('EntityNode'),
);

function toEntityRecord(entity: Entity, user: UserRef): Static<typeof EntityNodeSchema> {
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
 * The fields in an ETag of an entity: those that a person
 * can edit. A new mention must not make an edit a conflict.
 */
const editableEntity = ({ id, name, type, isCorrected, merged }: Entity) => ({
  id,
  name,
  type,
  isCorrected,
  merged,
});

const Query = Type.Object({
  ...cursorQuery,
  type: Type.Optional(entityTypeField),
  query: Type.Optional(
    Type.String({
      maxLength: entityNameMax,
      description: 'A part of one of its names, compared without case and accents.',
    }),
  ),
  sortBy: Type.Optional(oneOf(entitySorts, { default: 'mentionCount' })),
  order: Type.Optional(sortDirection),
});

const listEntities: Route = (app, { entities }) =>
  app.get(
    '/api/entities',
    {
      schema: {
        operationId: 'listEntities',
        tags: ['Entities'],
        summary: 'List entities',
        description:
          'People, organisations, projects, places and the like that memories mention: those of the most memories ' +
          'first, then by name. `sortBy=name` gives them by name, from a; `firstSeenAt` and `lastSeenAt` by the time of ' +
          'writing of the first and the last memory that mentions them, newest first.',
        querystring: Query,
        response: {
          200: pageOf(EntityNodeSchema, 'One page of entities.'),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { type, query: name, sortBy = 'mentionCount' } = query;
      const { order = sortBy === 'name' ? 'asc' : 'desc' } = query;
      const page = await entities.list(user, { ...toListPage(request), type, name, sortBy, order });
      return {
        data: page.items.map((entity) => toEntityRecord(entity, user)),
        pagination: toPagination(page, request),
      };
    },
  );

const GraphHealthSchema = Type.Object(
  {
    totalMemories: Type.Integer(),
    totalEntities: Type.Integer(),
    totalFacts: Type.Integer({ description: 'Derived and stated.' }),
    totalTopics: Type.Integer({ description: 'Derived and given.' }),
    memoriesWithEntities: Type.Integer({ description: 'Memories that mention an entity.' }),
    entityCoverage: Type.Number({ description: 'Their share of all memories, 0-1.' }),
  },
  component('GraphHealth'),
);

const getGraphHealth: Route = (app, { entities }) =>
  app.get(
    '/api/entities/health',
    {
      schema: {
        operationId: 'getGraphHealth',
        tags: ['Entities'],
        summary: 'Count what was derived',
        description: 'Without what only memories in the trash say.',
        response: { 200: dataOf(GraphHealthSchema, 'The counts.') },
      },
    },
    async ({ user }) => {
      const health = await entities.health(user);
      const { memories, memoriesWithEntities } = health;
      return {
        data: {
          totalMemories: memories,
          totalEntities: health.entities,
          totalFacts: health.facts,
          totalTopics: health.topics,
          memoriesWithEntities,
          entityCoverage: memories === 0 ? 0 : memoriesWithEntities / memories,
        },
      };
    },
  );

const getEntityById: Route = (app, { entities }) =>
  app.get(
    '/api/entities/:id',
    {
      schema: {
        operationId: 'getEntityById',
        tags: ['Entities'],
        summary: 'Get an entity',
        description: 'The id of one that was merged into another gives the other.',
        params: idParams,
        response: { 200: dataOf(EntityNodeSchema, 'The entity.') },
      },
    },
    async ({ user, params }, reply) => {
      const entity = await entities.get(user, params.id);
      const etag = etagOfRecord(editableEntity(entity));
      return reply.header('ETag', etag).send({ data: toEntityRecord(entity, user) });
    },
  );

const MentioningMemorySchema = Type.Object(
  { memory: MemorySchema, confidence: Type.Number({ description: '0-1: how sure the mention is.' }) },
  component('MentioningMemory'),
);

const getEntityMemories: Route = (app, { entities }) =>
  app.get(
    '/api/entities/:id/memories',
    {
      schema: {
        operationId: 'getEntityMemories',
        tags: ['Entities'],
        summary: 'List the memories that mention an entity',
        description: 'By any of its names, the newest first.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: bodyOf('One page of memories.', {
            data: Type.Array(MentioningMemorySchema),
            pagination: Type.Ref('Pagination'),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const page = await entities.memories(user, params.id, toListPage(request));
      return {
        data: page.items.map(({ memory, confidence }) => ({ memory: toMemoryRecord(memory), confidence })),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );

const UpdateBody = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        maxLength: entityNameMax,
        description: 'Its name from now on; empty: the name that its memories give it.',
      }),
    ),
    type: Type.Optional(entityTypeField),
  },
  { examples: [{ name: 'Ada Lovelace', type: 'PERSON' }] },
);

const updateEntity: Route = (app, { entities }) =>
  app.patch(
    '/api/entities/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateEntity',
        tags: ['Entities'],
        summary: 'Correct an entity',
        description:
          'Gives it another name or type; what the body leaves out stays. Memories that call it by its former name ' +
          'go on to mention it, and nothing derived later changes what was written here.',
        params: idParams,
        body: UpdateBody,
        response: { 200: dataOf(EntityNodeSchema, 'The entity as it is now.') },
      },
    },
    async ({ user, params, body: { name, type }, headers }, reply) => {
      const isSeen = ifMatch<Entity>(headers, editableEntity);
      const entity = await entities.update(user, params.id, { name, type }, isSeen);
      const etag = etagOfRecord(editableEntity(entity));
      return reply.header('ETag', etag).send({ data: toEntityRecord(entity, user) });
    },
  );

const deleteEntity: Route = (app, { entities, trash }) =>
  app.delete(
    '/api/entities/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteEntity',
        tags: ['Entities'],
        summary: 'Delete an entity',
        description:
          'Its memories stay but no longer show it; later mentions do not restore it. It goes to the trash, from ' +
          'which it can be restored.',
        params: idParams,
        response: { 204: inTrash },
      },
    },
    async ({ user, params, headers }, reply) => {
      nameTrashEntry(
        reply,
        trash,
        await entities.delete(user, params.id, ifMatch<Entity>(headers, editableEntity)),
      );
      return reply.code(204).send(null);
    },
  );

const MergeBody = Type.Object(
  {
    sourceEntityId: recordId('The entity to merge, whose names become aliases.'),
    targetEntityId: recordId('The entity that stays.'),
  },
  { examples: [{ sourceEntityId: sampleIds.otherEntity, targetEntityId: sampleIds.entity }] },
);

const mergeEntities: Route = (app, { entities }) =>
  app.post(
    '/api/entities/merge',
    {
      schema: {
        operationId: 'mergeEntities',
        tags: ['Entities'],
        summary: 'Merge two entities',
        description:
          'The source is shown as a part of the target from now on, and its id means the target. The merge is in ' +
          'the trash list and can be undone there, or by unmerge.',
        body: MergeBody,
        response: { 200: dataOf(EntityNodeSchema, 'The entity that stays.') },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toBody = (entity: Entity) => ({ data: toEntityRecord(entity, user) });
      const act = keyedAct<Entity>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await entities.merge(user, body.sourceEntityId, body.targetEntityId, act));
    },
  );

const UnmergeBody = Type.Object(
  { entityId: recordId('One of the `mergedEntities` of another entity.') },
  { examples: [{ entityId: sampleIds.mergedEntity }] },
);

const unmergeEntity: Route = (app, { entities }) =>
  app.post(
    '/api/entities/unmerge',
    {
      schema: {
        operationId: 'unmergeEntity',
        tags: ['Entities'],
        summary: 'Take an entity out of another',
        description:
          'It becomes a separate entity again, with the entities merged into it. No rule merges the two again.',
        body: UnmergeBody,
        response: { 200: dataOf(EntityNodeSchema, 'The entity that was taken out.') },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toBody = (entity: Entity) => ({ data: toEntityRecord(entity, user) });
      const act = keyedAct<Entity>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await entities.unmerge(user, body.entityId, act));
    },
  );

export const entityRoutes: readonly Route[] = [
  listEntities,
  getGraphHealth,
  getEntityById,
  getEntityMemories,
  updateEntity,
  deleteEntity,
  mergeEntities,
  unmergeEntity,
];
