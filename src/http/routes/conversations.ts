import {
  type Conversation,
  conversationSorts,
  summaryLengthMax,
  titleLengthMax,
} from '../../domain/conversations/conversation.ts';
import { sessionKeyLengthMax } from '../../domain/memories/memory.ts';
import { type Metadata, metadataBytesMax } from '../../domain/memories/metadata.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import type { Ensured } from '../../domain/shared/external-id.ts';
import { pageLimitMax } from '../../domain/shared/page.ts';
import { parseTime } from '../../domain/shared/time.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import {
  ensuredResponses,
  externalIdField,
  externalIdQuery,
  ImportQuery,
  toEnsured,
} from '../schemas/ensured.ts';
import { bodyOf, dataOf, inTrash } from '../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../schemas/memory.ts';
import {
  cutShort,
  fitPage,
  fitRecords,
  goesOn,
  TruncatedMetaSchema,
  toListPage,
  toPagination,
  truncatedMeta,
} from '../schemas/pagination.ts';
import { cursorQuery, limitField, limitOf, oneOf, sortDirection, timeText } from '../schemas/query.ts';
import { ConversationSchema, toConversationRecord } from '../schemas/records.ts';
import { topicIdField } from './topics.ts';
import { nameTrashEntry } from './trash.ts';

interface BoundedConversation extends Pick<Conversation, 'title' | 'summary'> {
  readonly metadata?: object | null;
}

/** Maximum bytes of a conversation as JSON; a character takes at most six. */
function conversationBytesMax({ title, summary, metadata }: BoundedConversation): number {
  return 3000 + 6 * (title.length + (summary?.length ?? 0)) + (metadata ? metadataBytesMax : 0);
}

const conversationParams = Type.Object({ conversationId: Type.String({ maxLength: 500 }) });

const ListQuery = Type.Object({
  ...cursorQuery,
  since: Type.Optional(timeText('Created after this time.')),
  minMemories: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'At least this many memories; 1 leaves out empty ones. Without it, conversations made for memories ' +
        'that are all deleted are left out; 0 includes them.',
    }),
  ),
  sortBy: Type.Optional(oneOf(conversationSorts, { default: 'lastActivityAt' })),
  externalId: externalIdQuery('conversation'),
  order: Type.Optional(sortDirection),
});

const listConversations: Route = (app, { conversations }) =>
  app.get(
    '/api/conversations',
    {
      schema: {
        operationId: 'listConversations',
        tags: ['Conversations'],
        summary: 'List conversations',
        description: 'The last active first unless `sortBy` and `order` say otherwise.',
        querystring: ListQuery,
        response: {
          200: bodyOf('One page of conversations, and the number of all that match.', {
            data: Type.Array(ConversationSchema),
            pagination: Type.Ref('Pagination'),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { since, minMemories, externalId, sortBy = 'lastActivityAt', order = 'desc' } = query;
      const all = await conversations.list(user, {
        ...toListPage(request),
        since: since === undefined ? undefined : parseTime(since, 'since'),
        minMemories,
        externalId,
        sortBy,
        order,
      });
      const page = fitPage(all, conversationBytesMax);
      return {
        data: page.items.map(toConversationRecord),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );

const CreateBody = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: titleLengthMax }),
    summary: Type.Optional(Type.String({ maxLength: summaryLengthMax })),
    externalId: externalIdField('conversation'),
    agentSessionId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: sessionKeyLengthMax,
        description: 'Memories that name this agent session and no conversation join it.',
      }),
    ),
    createdAt: Type.Optional(timeText('When it began elsewhere, for imports; not in the future.')),
    metadata: Type.Optional(
      Type.Unsafe<Metadata | null>({
        type: ['object', 'null'],
        additionalProperties: true,
        description: `Any JSON object of at most ${metadataBytesMax} bytes, given back as it is.`,
      }),
    ),
  },
  {
    examples: [{ title: 'Release 2 planning', externalId: 'chat:42', createdAt: '2026-02-01T09:30:00Z' }],
  },
);

const toResponse = (made: Ensured<Conversation>) => toEnsured(made, toConversationRecord);

const createConversation: Route = (app, { conversations, imports }) =>
  app.post(
    '/api/conversations',
    {
      schema: {
        operationId: 'createConversation',
        tags: ['Conversations'],
        summary: 'Create an empty conversation',
        description:
          'Memories join it by their `conversationId`. Memories that name none make or find a conversation by ' +
          'themselves. A second create with the same `externalId` writes nothing and returns the first.',
        querystring: ImportQuery,
        body: CreateBody,
        response: ensuredResponses(ConversationSchema, 'The conversation.'),
      },
    },
    async (request, reply) => {
      const { user, query, body } = request;
      if (query.importId !== undefined) await imports.get(user, query.importId);
      const input = {
        ...body,
        createdAt: body.createdAt === undefined ? undefined : parseTime(body.createdAt, 'createdAt'),
        importId: query.importId,
      };
      const act = keyedAct(request, reply, 201, toResponse);
      const made = toResponse(await conversations.create(user, input, act));
      return reply.code(made.status).header('ETag', made.etag).send(made.body);
    },
  );

const getConversation: Route = (app, { conversations }) =>
  app.get(
    '/api/conversations/:conversationId',
    {
      schema: {
        operationId: 'getConversation',
        tags: ['Conversations'],
        summary: 'Get a conversation',
        description: 'Its title, summary and counts; the timeline lists its memories.',
        params: conversationParams,
        response: { 200: dataOf(ConversationSchema, 'The conversation.') },
      },
    },
    async ({ user, params }, reply) => {
      const data = toConversationRecord(await conversations.get(user, params.conversationId));
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const deleteConversation: Route = (app, { conversations, trash }) =>
  app.delete(
    '/api/conversations/:conversationId',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteConversation',
        tags: ['Conversations'],
        summary: 'Delete a conversation with its memories',
        description: 'All of it goes to the trash as one entry and is restored as one.',
        params: conversationParams,
        response: { 204: inTrash },
      },
    },
    async ({ user, params, headers }, reply) => {
      nameTrashEntry(
        reply,
        trash,
        await conversations.delete(user, params.conversationId, ifMatch(headers, toConversationRecord)),
      );
      return reply.code(204).send(null);
    },
  );

const TimelineQuery = Type.Object({
  ...cursorQuery,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, default: pageLimitMax, description: `At most ${pageLimitMax} at once.` }),
  ),
});

const getConversationTimeline: Route = (app, { conversations, search }) =>
  app.get(
    '/api/conversations/:conversationId/timeline',
    {
      schema: {
        operationId: 'getConversationTimeline',
        tags: ['Conversations'],
        summary: 'List the memories of a conversation in order',
        description: 'By event time, or ingestion time where none was stated, oldest first.',
        params: conversationParams,
        querystring: TimelineQuery,
        response: {
          200: bodyOf('One page of memories, and the number of all in the conversation.', {
            data: Type.Array(MemorySchema),
            count: Type.Integer({ description: 'All memories of the conversation.' }),
            pagination: Type.Optional(Type.Ref('Pagination')),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const { id } = await conversations.get(user, params.conversationId);
      const page = await search.conversationTimeline(user, id, toListPage(request, pageLimitMax));
      return {
        data: page.items.map(toMemoryRecord),
        count: page.count,
        ...goesOn(page, request),
        ...truncatedMeta(page),
      };
    },
  );

const SearchBody = Type.Object(
  { query: Type.String({ minLength: 1, maxLength: 2000 }), limit: limitField },
  { examples: [{ query: 'release planning' }] },
);

const searchConversations: Route = (app, { search }) =>
  app.post(
    '/api/conversations/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchConversations',
        tags: ['Conversations', 'Search'],
        summary: 'Search conversations',
        description: 'Semantic and keyword search over titles, summaries and memories; best match first.',
        body: SearchBody,
        response: {
          200: bodyOf('The conversations that match.', {
            data: Type.Array(ConversationSchema),
            count: Type.Integer({ description: 'All that match, not only those given.' }),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async ({ user, body }) => {
      if (body.query.trim() === '') throw invalidInput('query', 'must not be blank');
      const limit = limitOf(body);
      const { hits, total } = await search.conversations(user, body.query, limit);
      const records = hits.map(({ conversation }) => toConversationRecord(conversation));
      const { data, isFull } = fitRecords(records, conversationBytesMax);
      return { data, count: total, ...cutShort(isFull) };
    },
  );

const ByTopicBody = Type.Object(
  { topicId: topicIdField('The topic'), limit: limitField },
  { examples: [{ topicId: 'deploys' }] },
);

const findConversationsByTopic: Route = (app, { topics }) =>
  app.post(
    '/api/conversations/by-topic',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'findConversationsByTopic',
        tags: ['Conversations', 'Topics'],
        summary: 'Find conversations by topic',
        description: 'Those with the most memories of the topic first, then the last active.',
        body: ByTopicBody,
        response: {
          200: bodyOf('The conversations with memories of the topic.', {
            data: Type.Array(ConversationSchema),
            count: Type.Integer({ description: 'All with memories of the topic, not only those given.' }),
            metadata: Type.Object({
              topicId: Type.String({ description: 'Id of the topic that was named.' }),
            }),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async ({ user, body }) => {
      const limit = limitOf(body);
      const { topic, conversations, total } = await topics.conversations(user, body.topicId, limit);
      const records = conversations.map(toConversationRecord);
      const { data, isFull } = fitRecords(records, conversationBytesMax);
      return { data, count: total, metadata: { topicId: topic.id }, ...cutShort(isFull) };
    },
  );

export const conversationRoutes: readonly Route[] = [
  listConversations,
  createConversation,
  getConversation,
  deleteConversation,
  getConversationTimeline,
  searchConversations,
  findConversationsByTopic,
];
