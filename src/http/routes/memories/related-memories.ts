import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  cutShort,
  TruncatedMetaSchema,
  toListPage,
  toPagination,
  truncatedMeta,
} from '../../schemas/pagination.ts';
import { cursorQuery, idParams, limitOf, limitQuery } from '../../schemas/query.ts';

const RelatedMemorySchema = Type.Object(
  {
    memory: MemorySchema,
    score: Type.Number({ description: '0 to 1.' }),
    relationship: Type.String({ description: 'similar, similar-by-topic, conversation or topic.' }),
    sharedTopics: Type.Optional(Type.Array(Type.String())),
  },
  component('RelatedMemory'),
);

const relatedBody = (description: string) =>
  bodyOf(description, {
    data: Type.Array(RelatedMemorySchema),
    sourceMemory: MemorySchema,
    meta: Type.Optional(TruncatedMetaSchema),
  });

const getConversationMemories: Route = (app, { memories, search }) =>
  app.get(
    '/api/memories/:id/conversation-memories',
    {
      schema: {
        operationId: 'getConversationMemories',
        tags: ['Memories'],
        summary: 'Find the memories around one in its conversation',
        description:
          'The nearest other memories of the same conversation, oldest first; the score falls with the distance.',
        params: idParams,
        querystring: limitQuery,
        response: {
          200: bodyOf('The memories around it, and the memory itself.', {
            data: Type.Array(RelatedMemorySchema),
            sourceMemory: MemorySchema,
            conversationId: Type.String(),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = limitOf(query);
      const page = await search.aroundInConversation(user, source, limit);
      const data = page.items
        .map((memory, i) => ({
          memory: toMemoryRecord(memory),
          score: 1 - Math.min(1, Math.abs(page.offset + i + 1 - page.position) / page.count),
          relationship: 'conversation',
        }))
        .filter(({ memory }) => memory.id !== source.id)
        .slice(0, limit);
      return {
        data,
        sourceMemory: toMemoryRecord(source),
        conversationId: source.conversationId,
        ...cutShort(page.isFull),
      };
    },
  );

const neighboursDefault = 5;
const neighboursMax = 100;

const neighbours = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: neighboursDefault, description }));

const getMemoryTimeline: Route = (app, { memories, search }) =>
  app.get(
    '/api/memories/:id/timeline',
    {
      schema: {
        operationId: 'getMemoryTimeline',
        tags: ['Memories'],
        summary: 'Show what came before and after a memory',
        description: 'Over all conversations, by event time, or ingestion time where none was stated.',
        params: idParams,
        querystring: Type.Object({
          before: neighbours(`Preceding memories; more than ${neighboursMax} gives ${neighboursMax}.`),
          after: neighbours(`Following memories; more than ${neighboursMax} gives ${neighboursMax}.`),
        }),
        response: {
          200: bodyOf('The memory with those before and after it, oldest first.', {
            data: Type.Object({
              memory: MemorySchema,
              preceding: Type.Array(MemorySchema),
              following: Type.Array(MemorySchema),
            }),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async ({ user, params, query }) => {
      const memory = await memories.get(user, params.id);
      const { preceding, following, isFull } = await search.around(user, memory, {
        before: Math.min(query.before ?? neighboursDefault, neighboursMax),
        after: Math.min(query.after ?? neighboursDefault, neighboursMax),
      });
      return {
        data: {
          memory: toMemoryRecord(memory),
          preceding: preceding.map(toMemoryRecord),
          following: following.map(toMemoryRecord),
        },
        ...cutShort(isFull),
      };
    },
  );

const getRelatedMemories: Route = (app, { memories, search }) =>
  app.get(
    '/api/memories/:id/related',
    {
      schema: {
        operationId: 'getRelatedMemories',
        tags: ['Memories'],
        summary: 'Find memories that share topics',
        description: 'The largest share of common topics first, then the newest.',
        params: idParams,
        querystring: limitQuery,
        response: { 200: relatedBody('The memories with their shared topics, and the memory itself.') },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = limitOf(query);
      const { hits, isFull } = await search.related(user, source, limit);
      return {
        data: hits.map(({ memory, score, sharedTopics }) => ({
          memory: toMemoryRecord(memory),
          score,
          relationship: 'topic',
          sharedTopics: [...sharedTopics],
        })),
        sourceMemory: toMemoryRecord(source),
        ...cutShort(isFull),
      };
    },
  );

const getSimilarMemories: Route = (app, { memories, search }) =>
  app.get(
    '/api/memories/:id/similar',
    {
      schema: {
        operationId: 'getSimilarMemories',
        tags: ['Memories'],
        summary: 'Find semantically similar memories',
        description:
          'Nearest first, from a similarity of 0.5. Without an embedding model, memories that share topics take ' +
          'their place and `relationship` says so.',
        params: idParams,
        querystring: limitQuery,
        response: { 200: relatedBody('The similar memories, and the memory itself.') },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = limitOf(query);
      const { byVectors, hits, isFull } = await search.similar(user, source, limit);
      return {
        data: hits.map(({ memory, score, sharedTopics }) => ({
          memory: toMemoryRecord(memory),
          score,
          relationship: byVectors ? 'similar' : 'similar-by-topic',
          sharedTopics: byVectors ? undefined : [...sharedTopics],
        })),
        sourceMemory: toMemoryRecord(source),
        ...cutShort(isFull),
      };
    },
  );

const getMemoryVersions: Route = (app, { memories }) =>
  app.get(
    '/api/memories/:id/versions',
    {
      schema: {
        operationId: 'getMemoryVersions',
        tags: ['Memories'],
        summary: 'List the versions of a memory',
        description:
          'The memory as it was after each change, newest first. Versions of a named memory are memories of their own: ' +
          '`GET /api/memories/named/{name}/history` lists them.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: bodyOf('One page of versions, and the number of all.', {
            data: Type.Array(
              Type.Object(
                {
                  openedAt: Type.String({ description: 'When it was written.' }),
                  closedAt: Type.Unsafe<string | null>({
                    type: ['string', 'null'],
                    description: 'When the next version was written; null for the newest.',
                  }),
                  memory: MemorySchema,
                },
                component('VersionSpan'),
              ),
            ),
            pagination: Type.Ref('Pagination'),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const page = await memories.listVersions(request.user, request.params.id, toListPage(request));
      const data = page.items.map(({ memory, openedAt, closedAt }) => ({
        openedAt: toIso(openedAt),
        closedAt: closedAt === null ? null : toIso(closedAt),
        memory: toMemoryRecord(memory),
      }));
      return { data, pagination: toPagination(page, request), ...truncatedMeta(page) };
    },
  );

export const relatedMemoryRoutes: readonly Route[] = [
  getConversationMemories,
  getMemoryTimeline,
  getRelatedMemories,
  getSimilarMemories,
  getMemoryVersions,
];
