import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { cutShort, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { idParams, limitQuery } from '../../schemas/query.ts';
import { RelatedMemorySchema } from './related-memory.ts';

export const getSimilarMemories: Route = (app, { memories, search }) => {
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
        response: {
          200: Type.Object(
            {
              data: Type.Array(RelatedMemorySchema),
              sourceMemory: MemorySchema,
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The similar memories, and the memory itself.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = Math.min(query.limit ?? pageLimitDefault, pageLimitMax);
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
};
