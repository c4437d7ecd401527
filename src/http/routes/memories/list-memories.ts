import type { Static } from 'typebox';
import {
  effectiveStates,
  idPrefixLengthMin,
  memoryTypes,
  outcomes,
  topicLengthMax,
} from '../../../domain/memories/memory.ts';
import { barUnits, parseTime, toIso } from '../../../domain/shared/time.ts';
import type { TopicReader } from '../../../domain/topics/topic.ts';
import type { MemoryFilter } from '../../../search-index/memory-filter.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf, described } from '../../schemas/envelope.ts';
import { MemorySchema, MetadataSchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  metadataQuery,
  parseRange,
  parseRecentRange,
  parseScope,
  queryMetadataTests,
  topicList,
  topicsQuery,
  whoAndWhatFields,
} from '../../schemas/memory-filter.ts';
import { TruncatedMetaSchema, toListPage, toPagination, truncatedMeta } from '../../schemas/pagination.ts';
import {
  cursorQuery,
  limitField,
  limitOf,
  longText,
  oneOf,
  sortDirection,
  timeText,
  windowText,
} from '../../schemas/query.ts';

/** Filters of lists and counts. */
const filterFields = {
  idPrefix: Type.Optional(Type.String({ minLength: idPrefixLengthMin, maxLength: 100 })),
  from: Type.Optional(timeText('Created at this time or later.')),
  to: Type.Optional(timeText('Created at this time or earlier; a date alone means its end.')),
  recent: Type.Optional(windowText('Window such as 24h, 7d or 2w; wins over from.')),
  eventTimeFrom: Type.Optional(
    timeText('Happened at this time or later; a memory without an event time, was created then.'),
  ),
  eventTimeTo: Type.Optional(timeText('Happened at this time or earlier; a date alone means its end.')),
  ...topicsQuery,
  conversationId: longText('Memories of this conversation.'),
  ...whoAndWhatFields,
  scope: longText(
    'Comma-separated key:value pairs over codeContext (product, service, team, role); all must match.',
  ),
  taskId: longText('Memories of this task.'),
  externalId: longText('The memory that another system calls so.'),
  metadata: metadataQuery,
  outcomeFilter: Type.Optional(oneOf([...outcomes, 'any'])),
  memoryType: Type.Optional(oneOf(memoryTypes, component('MemoryType'))),
  effectiveState: Type.Optional(oneOf(effectiveStates, component('EffectiveState'))),
  asOfTime: Type.Optional(
    timeText('The memories, their texts and states as they were then; a date alone means its end.'),
  ),
} as const;
const FilterQuery = Type.Object(filterFields);

const timeFields = ['createdAt', 'updatedAt', 'eventTime'] as const;

const ListQuery = Type.Object({
  ...cursorQuery,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1; an alternative to offset.' })),
  sortBy: Type.Optional(oneOf(timeFields, { default: 'createdAt' })),
  order: Type.Optional(sortDirection),
  ...filterFields,
});

const FiltersApplied = Type.Object(
  {
    idPrefix: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    eventTimeFrom: Type.Optional(Type.String()),
    eventTimeTo: Type.Optional(Type.String()),
    topics: Type.Optional(Type.Array(Type.String())),
    excludeTopics: Type.Optional(Type.Array(Type.String())),
    conversationId: Type.Optional(Type.String()),
    entityId: Type.Optional(Type.String()),
    role: Type.Optional(Type.String()),
    createdBy: Type.Optional(Type.String()),
    via: Type.Optional(Type.String()),
    agent: Type.Optional(Type.String()),
    tool: Type.Optional(Type.String()),
    scope: Type.Optional(Type.Record(Type.String(), Type.String())),
    metadata: Type.Optional(MetadataSchema),
    taskId: Type.Optional(Type.String()),
    externalId: Type.Optional(Type.String()),
    outcomeFilter: Type.Optional(Type.String()),
    memoryType: Type.Optional(Type.String()),
    effectiveState: Type.Optional(Type.String()),
    asOfTime: Type.Optional(Type.String()),
  },
  component('FiltersApplied'),
);

/** @throws 400 for an unknown scope key, 422 for unreadable or contradictory times */
async function listFilter(
  query: Static<typeof FilterQuery>,
  now: number,
  topics: Pick<TopicReader, 'find'>,
): Promise<MemoryFilter> {
  const range = parseRecentRange(query, 'from', 'to', now);
  const event = parseRange(query, 'eventTimeFrom', 'eventTimeTo');
  return {
    idPrefix: query.idPrefix?.toLowerCase(),
    createdFrom: range.from,
    createdTo: range.to,
    eventFrom: event.from,
    eventTo: event.to,
    topics: await topicList(topics, query.topics),
    excludeTopics: await topicList(topics, query.excludeTopics),
    conversationId: query.conversationId,
    entityId: query.entityId,
    role: query.role,
    createdBy: query.createdBy,
    via: query.via,
    agent: query.agent,
    tool: query.tool,
    scope: parseScope(query.scope),
    metadata: queryMetadataTests(query),
    taskId: query.taskId,
    externalId: query.externalId,
    outcome: query.outcomeFilter,
    memoryType: query.memoryType,
    effectiveState: query.effectiveState,
    asOf: query.asOfTime === undefined ? undefined : parseTime(query.asOfTime, 'asOfTime', 'end'),
    includeSuperseded: true,
  };
}

function toFiltersApplied(filter: MemoryFilter): Static<typeof FiltersApplied> {
  return {
    idPrefix: filter.idPrefix,
    from: filter.createdFrom === undefined ? undefined : toIso(filter.createdFrom),
    to: filter.createdTo === undefined ? undefined : toIso(filter.createdTo),
    eventTimeFrom: filter.eventFrom === undefined ? undefined : toIso(filter.eventFrom),
    eventTimeTo: filter.eventTo === undefined ? undefined : toIso(filter.eventTo),
    topics: filter.topics && [...filter.topics],
    excludeTopics: filter.excludeTopics && [...filter.excludeTopics],
    conversationId: filter.conversationId,
    entityId: filter.entityId,
    role: filter.role,
    createdBy: filter.createdBy,
    via: filter.via,
    agent: filter.agent,
    tool: filter.tool,
    scope: filter.scope,
    metadata:
      filter.metadata && Object.fromEntries(filter.metadata.map(({ path, values }) => [path, values[0]])),
    taskId: filter.taskId,
    externalId: filter.externalId,
    outcomeFilter: filter.outcome,
    memoryType: filter.memoryType,
    effectiveState: filter.effectiveState,
    asOfTime: filter.asOf === undefined ? undefined : toIso(filter.asOf),
  };
}

export const listMemories: Route = (app, { search, stores, clock }) =>
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
        querystring: ListQuery,
        response: {
          200: bodyOf(
            'One page of memories, the number of all that match, and the filters as they were understood.',
            {
              data: Type.Array(MemorySchema),
              pagination: Type.Ref('Pagination'),
              filtersApplied: FiltersApplied,
              meta: Type.Optional(TruncatedMetaSchema),
            },
          ),
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

const HistogramQuery = Type.Object({
  field: Type.Optional(oneOf(timeFields, { default: 'createdAt', description: 'The time that is counted.' })),
  unit: Type.Optional(
    oneOf(barUnits, { description: 'Of a bar. By default the finest one that gives no more than 80 bars.' }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 100,
      default: 'UTC',
      description: 'Such as Europe/Lisbon: days, weeks and months begin at its midnight.',
    }),
  ),
  ...filterFields,
});

export const histogramOfMemories: Route = (app, { search, stores, clock }) =>
  app.get(
    '/api/memories/histogram',
    {
      schema: {
        operationId: 'getMemoriesHistogram',
        tags: ['Memories'],
        summary: 'Count memories over time',
        description:
          'With the filters of the list of memories. At most 400 bars; empty ones between the first and the last are ' +
          'there, too. Their counts sum up to the count of the list.',
        querystring: HistogramQuery,
        response: {
          200: bodyOf('The bars, oldest first, and the number of all memories in them.', {
            data: Type.Array(
              Type.Object(
                {
                  from: Type.String({ description: 'The begin of the hour, day, week, month or year.' }),
                  to: Type.String({ description: 'The begin of the next one.' }),
                  count: Type.Integer(),
                },
                component('TimeBar'),
              ),
            ),
            count: Type.Integer(),
          }),
        },
      },
    },
    async ({ user, query }) => {
      const { field = 'createdAt', unit, timeZone = 'UTC' } = query;
      const filter = await listFilter(query, clock.now(), stores.forUser(user).topics);
      const bars = await search.timeBars(user, { filter, field, unit, timeZone });
      return {
        data: bars.map(({ from, to, count }) => ({ from: toIso(from), to: toIso(to), count })),
        count: bars.reduce((sum, { count }) => sum + count, 0),
      };
    },
  );

const groups = ['day', 'week', 'month', 'topic'] as const;

const StatsQuery = Type.Object({
  groupBy: Type.Optional(oneOf(groups, { default: 'day' })),
  after: Type.Optional(timeText('Created at this time or later.')),
  before: Type.Optional(timeText('Created at this time or earlier; a date alone means its end.')),
  recent: Type.Optional(windowText('Window such as 24h, 1w or 1mo; wins over after.')),
  topic: Type.Optional(Type.String({ maxLength: topicLengthMax })),
  limit: limitField,
});

const countFields = {
  selected: Type.Integer({ description: 'Results that were taken.' }),
  notSelected: Type.Integer({ description: 'Results that were passed over.' }),
  meanSelectedPosition: Type.Optional(
    Type.Number({ description: 'Over the feedback that gave a position.' }),
  ),
};

const FeedbackSummarySchema = Type.Object(
  {
    ...countFields,
    byMethod: Type.Array(Type.Object({ searchMethod: Type.String(), ...countFields })),
  },
  { ...component('FeedbackSummary'), description: 'Search feedback on the memories that pass the filters.' },
);

const DerivedTotalsSchema = Type.Object(
  {
    entities: Type.Integer(),
    facts: Type.Integer(),
    topics: Type.Integer(),
    memoriesWithEntities: Type.Integer({ description: 'Memories that mention an entity.' }),
  },
  {
    ...component('DerivedTotals'),
    description: 'What was derived from the memories that pass the filters, each once.',
  },
);

const StatsResponse = Type.Object({
  groupBy: oneOf(groups),
  data: Type.Array(
    Type.Object({
      bucket: Type.String({ description: '2026-02-01, 2026-W05, 2026-02 or the name of a topic.' }),
      count: Type.Integer(),
    }),
  ),
  total: Type.Integer({ description: 'All memories that pass the filters.' }),
  derived: DerivedTotalsSchema,
  feedback: FeedbackSummarySchema,
  filters: Type.Object({
    after: Type.Optional(Type.String()),
    before: Type.Optional(Type.String()),
    topic: Type.Optional(Type.String()),
  }),
});

/** @throws 422 for unreadable or contradictory times */
function statsFilter(query: Static<typeof StatsQuery>, now: number): MemoryFilter {
  const range = parseRecentRange(query, 'after', 'before', now);
  return {
    createdFrom: range.from,
    createdTo: range.to,
    topics: query.topic ? [query.topic] : undefined,
    includeSuperseded: true,
  };
}

export const getMemoriesStats: Route = (app, { search, feedback, entities, clock }) =>
  app.get(
    '/api/memories/stats',
    {
      schema: {
        operationId: 'getMemoriesStats',
        tags: ['Memories'],
        summary: 'Count memories by time or topic',
        description:
          'Buckets by UTC day, ISO week, month (of ingestion time) or by topic, with what was derived ' +
          'from the memories that pass the filters, and the search feedback on them.',
        querystring: StatsQuery,
        response: {
          200: described(
            StatsResponse,
            'The buckets (of time oldest first, of topics largest first) and the number of all memories that pass.',
          ),
        },
      },
    },
    async ({ user, query }) => {
      const filter = statsFilter(query, clock.now());
      const groupBy = query.groupBy ?? 'day';
      const limit = limitOf(query);
      const buckets = await search.histogram(user, filter, groupBy, limit);
      const one = { limit: 1, offset: 0, sortBy: 'createdAt', order: 'asc' } as const;
      const { count } = await search.browse(user, { ...one, filter });
      const { createdFrom, createdTo } = filter;
      const scope = { createdFrom, createdTo, topic: query.topic || undefined };
      const withPosition = await feedback.summary(user, scope);
      const derived = await entities.derivedTotals(user, scope);
      return {
        groupBy,
        data: buckets.map(({ bucket, count: inBucket }) => ({ bucket, count: inBucket })),
        total: count,
        derived,
        feedback: { ...withPosition, byMethod: [...withPosition.byMethod] },
        filters: {
          after: filter.createdFrom === undefined ? undefined : toIso(filter.createdFrom),
          before: filter.createdTo === undefined ? undefined : toIso(filter.createdTo),
          topic: query.topic,
        },
      };
    },
  );
