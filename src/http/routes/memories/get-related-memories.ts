import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { cutShort, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { idParams, limitQuery } from '../../schemas/query.ts';
import { RelatedMemorySchema } from './related-memory.ts';

export const getRelatedMemories: Route = (app, { memories, search }) => {
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
        response: {
          200: Type.Object(
            {
              data: Type.Array(RelatedMemorySchema),
              sourceMemory: MemorySchema,
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The memories with their shared topics, and the memory itself.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = Math.min(query.limit ?? pageLimitDefault, pageLimitMax);
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
};
