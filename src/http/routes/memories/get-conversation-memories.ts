import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { idParams, limitQuery } from '../../schemas/query.ts';
import { conversationPosition } from './detail/conversation-position.ts';
import { RelatedMemorySchema } from './related-memory.ts';

export const getConversationMemories: Route = (app, { memories, search }) => {
  app.get(
    '/api/memories/:id/conversation-memories',
    {
      schema: {
        operationId: 'getConversationMemories',
        tags: ['Memories'],
        summary: 'Other memories of the same conversation, oldest first; the score tells how near they are',
        params: idParams,
        querystring: limitQuery,
        response: {
          200: Type.Object({
            data: Type.Array(RelatedMemorySchema),
            sourceMemory: MemorySchema,
            conversationId: Type.String(),
          }),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const source = await memories.get(user, params.id);
      const limit = Math.min(query.limit ?? pageLimitDefault, pageLimitMax);
      const page = await search.conversationTimeline(user, source.conversationId, {
        limit: limit + 1,
        offset: 0,
      });
      const position = await conversationPosition(search, user, source);
      const data = page.items
        .map((memory, i) => ({
          memory: toMemoryRecord(memory),
          score: 1 - Math.min(1, Math.abs(i + 1 - position) / page.count),
          relationship: 'conversation',
        }))
        .filter(({ memory }) => memory.id !== source.id)
        .slice(0, limit);
      return { data, sourceMemory: toMemoryRecord(source), conversationId: source.conversationId };
    },
  );
};
