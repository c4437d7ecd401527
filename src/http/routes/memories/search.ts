import {
  feedbackActions,
  feedbackQueryMax,
  searchMethodLengthMax,
  searchSessionIdLengthMax,
} from '../../../domain/feedback/feedback.ts';
import { topicLengthMax } from '../../../domain/memories/memory.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { Search } from '../../../search/search-port.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, type RouteApp, Type } from '../../route-plugin.ts';
import { described, noContent } from '../../schemas/envelope.ts';
import {
  bodyMetadataTests,
  metadataField,
  metadataQuery,
  queryMetadataTests,
  topicList,
  topicsQuery,
} from '../../schemas/memory-filter.ts';
import { fitRecords } from '../../schemas/pagination.ts';
import { oneOf, recordId } from '../../schemas/query.ts';
import { entityTypeField } from '../../schemas/records.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { explainedOnPage } from './search-explained.ts';
import { type SearchParameters, searchFields, toSearchParameters } from './search-request.ts';
import { type SearchBody, SearchBodySchema, toMinimalResponse, toSearchResponse } from './search-response.ts';

const response = {
  200: described(SearchBodySchema, 'One page of results, how they were found, and facets where asked for.'),
};

const GetQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'What to find; may be absent where a filter is given.',
      examples: ['how do we deploy'],
    }),
  ),
  ...topicsQuery,
  metadata: metadataQuery,
  ...searchFields,
});

const searchMemoriesGet: Route = (app, { search, stores }) =>
  app.get(
    '/api/memories/search',
    {
      schema: {
        operationId: 'searchMemoriesGet',
        tags: ['Search'],
        summary: 'Search memories (GET)',
        description:
          'Semantic and keyword search over content, with filters by topic, time, conversation, state and ' +
          'metadata; best match first. `hybrid` joins both methods. Typos, word forms and dates written in words ' +
          'are understood. docs/search.md explains scores and ranking.',
        querystring: GetQuery,
        response,
      },
    },
    async ({ user, query }) => {
      const { q, topics, excludeTopics, ...fields } = query;
      const known = stores.forUser(user).topics;
      const input = {
        ...fields,
        query: q,
        topics: await topicList(known, topics),
        excludeTopics: await topicList(known, excludeTopics),
        metadataTests: queryMetadataTests(query),
      };
      return runSearch(app, search, user, toSearchParameters(input, 'q'));
    },
  );

const namesMax = 100;

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: topicLengthMax }), { maxItems: namesMax, description }));

const PostBody = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 32_768 }),
    topics: names('Memories with any of them.'),
    excludeTopics: names('Memories with none of them.'),
    entityTypes: Type.Optional(
      Type.Array(entityTypeField, {
        maxItems: 100,
        description:
          'The only types of entities to add to each result; empty: all. Switches includeEntities on.',
      }),
    ),
    metadata: metadataField,
    ...searchFields,
  },
  { examples: [{ query: 'how do we deploy', limit: 10, includeTopics: true }] },
);

function orUndefined<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

const searchMemories: Route = (app, { search }) =>
  app.post(
    '/api/memories/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchMemories',
        tags: ['Search'],
        summary: 'Search memories (POST)',
        description:
          'The same search as GET, with the query and filters in the body: for long queries, and for metadata ' +
          'filters as an object.',
        body: PostBody,
        response,
      },
    },
    async ({ user, body }) => {
      // `Object.assign` because a spread with further members took 2 microseconds.
      const input = Object.assign({}, body, {
        topics: orUndefined(body.topics),
        excludeTopics: orUndefined(body.excludeTopics),
        metadataTests: bodyMetadataTests(body.metadata),
        entityTypes: orUndefined(body.entityTypes),
      });
      return runSearch(app, search, user, toSearchParameters(input, 'query'));
    },
  );

/** Searches and makes the response; the time is measured to a tenth of a millisecond. */
async function runSearch(
  { searchTook }: RouteApp,
  search: Search,
  user: UserRef,
  parameters: SearchParameters,
): Promise<SearchBody> {
  const start = performance.now();
  const response = await search.search(user, parameters.request);
  const ms = performance.now() - start;
  searchTook(response.method, ms);
  if (parameters.detail === 'minimal') return toMinimalResponse(response);
  const searchTime = Math.round(ms * 10) / 10;
  const record = toSearchResponse(response, parameters, searchTime);
  const { includeFacts, includeEntities, mode } = parameters.request;
  if (!includeFacts && !includeEntities && mode !== 'facts') return record;
  // The page may exceed the limit of bytes: a memory may have many facts and entities.
  const { data, isFull } = fitRecords(record.data);
  if (!isFull) return record;
  const nextOffset = parameters.request.offset + data.length;
  const explained = record.explained && explainedOnPage(record.explained, data);
  return { ...record, explained, data, meta: { ...record.meta, truncated: true, nextOffset } };
}

/** Beyond the end of every list of results. */
const positionMax = 1_000_000;

const FeedbackBody = Type.Object(
  {
    memoryId: recordId('The result that this is about.'),
    action: oneOf(feedbackActions, { description: 'Whether it was taken.' }),
    query: Type.Optional(
      Type.String({
        maxLength: 32_768,
        description: `What was asked; the first ${feedbackQueryMax} characters are kept.`,
      }),
    ),
    searchMethod: Type.Optional(
      Type.String({ maxLength: searchMethodLengthMax, description: 'The search method used.' }),
    ),
    searchSessionId: Type.Optional(
      Type.String({
        maxLength: searchSessionIdLengthMax,
        description: 'What the client counts as one search.',
      }),
    ),
    resultPosition: Type.Optional(
      Type.Integer({ minimum: 0, maximum: positionMax, description: 'Place in the list of results.' }),
    ),
  },
  {
    examples: [
      {
        memoryId: sampleIds.memory,
        action: 'selected',
        query: 'how do we deploy',
        searchMethod: 'hybrid',
        resultPosition: 1,
      },
    ],
  },
);

const recordSearchFeedback: Route = (app, { feedback }) =>
  app.post(
    '/api/memories/search/feedback',
    {
      schema: {
        operationId: 'recordSearchResultFeedback',
        tags: ['Search'],
        summary: 'Record whether a search result was used',
        description:
          'Counted in `GET /api/memories/stats`, a part of the quality of the memory, and of the order of later searches: it ' +
          'changes a score by a twentieth at most (`feedbackWeight` of a search; docs/search.md).',
        body: FeedbackBody,
        response: { 204: noContent('Recorded.') },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const stated = {
        memoryId: body.memoryId,
        action: body.action,
        query: body.query || null,
        searchMethod: body.searchMethod || null,
        searchSessionId: body.searchSessionId || null,
        position: body.resultPosition ?? null,
      };
      await feedback.record(
        user,
        stated,
        keyedAct(request, reply, 204, () => ({ body: null })),
      );
      return reply.code(204).send(null);
    },
  );

export const searchRoutes: readonly Route[] = [searchMemoriesGet, searchMemories, recordSearchFeedback];
