import type { Static } from 'typebox';
import { topicLengthMax } from '../../../domain/memories/limits.ts';
import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { parseWindowStart, toIso } from '../../../domain/shared/time.ts';
import type { MemoryFilter } from '../../../search-index/memory-filter.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { assertedRange, parseRange } from '../../schemas/memory-filter.ts';
import { limitField, oneOf, timeText, windowText } from '../../schemas/query.ts';

const groups = ['day', 'week', 'month', 'topic'] as const;

const Query = Type.Object({
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
function statsFilter(query: Static<typeof Query>, now: number): MemoryFilter {
  const recent = query.recent === undefined ? undefined : parseWindowStart(query.recent, 'recent', now);
  const after = recent === undefined ? query.after : undefined;
  const parsed = parseRange({ from: after, to: query.before }, ['after', 'before']);
  const range =
    recent === undefined ? parsed : assertedRange({ from: recent, to: parsed.to }, ['recent', 'before']);
  return {
    createdFrom: range.from,
    createdTo: range.to,
    topics: query.topic ? [query.topic] : undefined,
    includeSuperseded: true,
  };
}

export const getMemoriesStats: Route = (app, { search, feedback, entities, clock }) => {
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
        querystring: Query,
        response: {
          200: described(
            StatsResponse,
            'The buckets (of time oldest first, of topics largest first) and the number of all memories that pass.',
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, query }) => {
      const filter = statsFilter(query, clock.now());
      const groupBy = query.groupBy ?? 'day';
      const limit = Math.min(query.limit ?? pageLimitDefault, pageLimitMax);
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
};
