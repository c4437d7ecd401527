import { type Route, Type } from '../../../route-plugin.ts';
import { described, errorResponses } from '../../../schemas/envelope.ts';
import { topicList as namedTopics, topicListRule } from '../../../schemas/memory-filter.ts';
import { metadataQuery, queryMetadataTests } from '../../../schemas/metadata-filter.ts';
import { searchFields, toSearchParameters } from '../../../schemas/search-request.ts';
import { SearchBodySchema } from '../../../schemas/search-result.ts';
import { runSearch } from './run-search.ts';

const topicList = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }));

const Query = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'What to find; may be absent where a filter is given.',
      examples: ['how do we deploy'],
    }),
  ),
  topics: topicList(`Comma-separated; memories with any of them. ${topicListRule}`),
  excludeTopics: topicList(`Comma-separated; memories with none of them. ${topicListRule}`),
  metadata: metadataQuery,
  ...searchFields,
});

export const searchMemoriesGet: Route = (app, services) => {
  const deps = { ...services, took: app.searchTook };
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
        querystring: Query,
        response: {
          200: described(
            SearchBodySchema,
            'One page of results, how they were found, and facets where asked for.',
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, query }) => {
      const { q, topics, excludeTopics, ...fields } = query;
      const known = services.stores.forUser(user).topics;
      const input = {
        ...fields,
        query: q,
        topics: await namedTopics(known, topics),
        excludeTopics: await namedTopics(known, excludeTopics),
        metadataTests: queryMetadataTests(query),
      };
      return runSearch(deps, user, toSearchParameters(input, 'q'));
    },
  );
};
