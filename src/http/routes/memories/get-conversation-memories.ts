import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { cutShort, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { idParams, limitQuery } from '../../schemas/query.ts';
import { RelatedMemorySchema } from './related-memory.ts';

export const getConversationMemories: Route = (app, { memories, search }) => {
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
          200: Type.Object(
            {
              data: Type.Array(RelatedMemorySchema),
              sourceMemory: MemorySchema,
              conversationId: Type.String(),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The memories around it, and the memory itself.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = Math.min(query.limit ?? pageLimitDefault, pageLimitMax);
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
};
