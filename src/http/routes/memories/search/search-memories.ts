import { topicLengthMax } from '../../../../domain/memories/limits.ts';
import { type Route, Type } from '../../../route-plugin.ts';
import { entityTypeField } from '../../../schemas/entity.ts';
import { described, errorResponses } from '../../../schemas/envelope.ts';
import { bodyMetadataTests, metadataField } from '../../../schemas/metadata-filter.ts';
import { searchFields, toSearchParameters } from '../../../schemas/search-request.ts';
import { SearchBodySchema } from '../../../schemas/search-result.ts';
import { runSearch } from './run-search.ts';

const namesMax = 100;

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: topicLengthMax }), { maxItems: namesMax, description }));

const Body = Type.Object(
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

export const searchMemories: Route = (app, services) => {
  const deps = { ...services, took: app.searchTook };
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
        body: Body,
        response: {
          200: described(
            SearchBodySchema,
            'One page of results, how they were found, and facets where asked for.',
          ),
          ...errorResponses,
        },
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
      return runSearch(deps, user, toSearchParameters(input, 'query'));
    },
  );
};
