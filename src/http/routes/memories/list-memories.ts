import type { Static } from 'typebox';
import { idPrefixLengthMin } from '../../../domain/memories/limits.ts';
import { outcomes } from '../../../domain/memories/memory.ts';
import { parseWindowStart, toIso } from '../../../domain/shared/time.ts';
import type { TopicReader } from '../../../domain/topics/topic-store.ts';
import type { MemoryFilter } from '../../../search-index/memory-filter.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, MetadataSchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  assertedRange,
  parseRange,
  parseScope,
  topicList,
  topicListRule,
} from '../../schemas/memory-filter.ts';
import { metadataQuery, queryMetadataTests } from '../../schemas/metadata-filter.ts';
import { TruncatedMetaSchema, toListPage, toPagination, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, oneOf, sortDirection, timeText, windowText } from '../../schemas/query.ts';

const text = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }));

const Query = Type.Object({
  ...cursorQuery,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1; an alternative to offset.' })),
  idPrefix: Type.Optional(Type.String({ minLength: idPrefixLengthMin, maxLength: 100 })),
  sortBy: Type.Optional(oneOf(['createdAt', 'updatedAt', 'eventTime'], { default: 'createdAt' })),
  order: Type.Optional(sortDirection),
  from: Type.Optional(timeText('Created at this time or later.')),
  to: Type.Optional(timeText('Created at this time or earlier; a date alone means its end.')),
  recent: Type.Optional(windowText('Window such as 24h, 7d or 2w; wins over from.')),
  topics: text(`Comma-separated; memories with any of them. ${topicListRule}`),
  excludeTopics: text(`Comma-separated; memories with none of them. ${topicListRule}`),
  conversationId: text('Memories of this conversation.'),
  scope: text(
    'Comma-separated key:value pairs over codeContext (product, service, team, role); all must match.',
  ),
  taskId: text('Memories of this task.'),
  externalId: text('The memory that another system calls so.'),
  metadata: metadataQuery,
  outcomeFilter: Type.Optional(oneOf([...outcomes, 'any'])),
});

const FiltersApplied = Type.Object(
  {
    idPrefix: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    topics: Type.Optional(Type.Array(Type.String())),
    excludeTopics: Type.Optional(Type.Array(Type.String())),
    conversationId: Type.Optional(Type.String()),
    scope: Type.Optional(Type.Record(Type.String(), Type.String())),
    metadata: Type.Optional(MetadataSchema),
    taskId: Type.Optional(Type.String()),
    externalId: Type.Optional(Type.String()),
    outcomeFilter: Type.Optional(Type.String()),
  },
  component('FiltersApplied'),
);

/** @throws 400 for an unknown scope key, 422 for unreadable or contradictory times */
export async function listFilter(
  query: Static<typeof Query>,
  now: number,
  topics: Pick<TopicReader, 'find'>,
): Promise<MemoryFilter> {
  const recent = query.recent === undefined ? undefined : parseWindowStart(query.recent, 'recent', now);
  const parsed = parseRange({ from: recent === undefined ? query.from : undefined, to: query.to }, [
    'from',
    'to',
  ]);
  const range =
    recent === undefined ? parsed : assertedRange({ from: recent, to: parsed.to }, ['recent', 'to']);
  return {
    idPrefix: query.idPrefix?.toLowerCase(),
    createdFrom: range.from,
    createdTo: range.to,
    topics: await topicList(topics, query.topics),
    excludeTopics: await topicList(topics, query.excludeTopics),
    conversationId: query.conversationId,
    scope: parseScope(query.scope),
    metadata: queryMetadataTests(query),
    taskId: query.taskId,
    externalId: query.externalId,
    outcome: query.outcomeFilter,
    includeSuperseded: true,
  };
}

function toFiltersApplied(filter: MemoryFilter): Static<typeof FiltersApplied> {
  return {
    idPrefix: filter.idPrefix,
    from: filter.createdFrom === undefined ? undefined : toIso(filter.createdFrom),
    to: filter.createdTo === undefined ? undefined : toIso(filter.createdTo),
    topics: filter.topics && [...filter.topics],
    excludeTopics: filter.excludeTopics && [...filter.excludeTopics],
    conversationId: filter.conversationId,
    scope: filter.scope,
    metadata:
      filter.metadata && Object.fromEntries(filter.metadata.map(({ path, values }) => [path, values[0]])),
    taskId: filter.taskId,
    externalId: filter.externalId,
    outcomeFilter: filter.outcome,
  };
}

export const listMemories: Route = (app, { search, stores, clock }) => {
  app.get(
    '/api/memories',
    {
      schema: {
        operationId: 'listMemories',
        tags: ['Memories'],
        summary: 'List memories by filter',
        description:
          'Newest first unless `sortBy` and `order` say otherwise; superseded and expired memories are included. ' +
          'All filters given must match. This lists; to find by words or by similarity use the search.',
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(MemorySchema),
              pagination: Type.Ref('Pagination'),
              filtersApplied: FiltersApplied,
              meta: Type.Optional(TruncatedMetaSchema),
            },
            {
              description:
                'One page of memories, the number of all that match, and the filters as they were understood.',
            },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const filter = await listFilter(query, clock.now(), stores.forUser(user).topics);
      const { sortBy = 'createdAt', order = 'desc' } = query;
      const page = await search.browse(user, { ...toListPage(request), filter, sortBy, order });
      return {
        data: page.items.map(toMemoryRecord),
        pagination: toPagination(page, request),
        filtersApplied: toFiltersApplied(filter),
        ...truncatedMeta(page),
      };
    },
  );
};
