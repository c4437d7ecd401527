import { pageLimitMax, toPageRequest } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { TruncatedMetaSchema, truncatedMeta } from '../../schemas/pagination.ts';
import { pageQuery } from '../../schemas/query.ts';
import { conversationParams } from './conversation-params.ts';

const Query = Type.Object({
  ...pageQuery,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, default: pageLimitMax, description: `At most ${pageLimitMax} at once.` }),
  ),
});

export const getConversationTimeline: Route = (app, { conversations, search }) => {
  app.get(
    '/api/conversations/:conversationId/timeline',
    {
      schema: {
        operationId: 'getConversationTimeline',
        tags: ['Conversations'],
        summary: 'List the memories of a conversation in order',
        description: 'By event time, or ingestion time where none was stated, oldest first.',
        params: conversationParams,
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(MemorySchema),
              count: Type.Integer({ description: 'All memories of the conversation.' }),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of memories, and the number of all in the conversation.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const { id } = await conversations.get(user, params.conversationId);
      const page = await search.conversationTimeline(user, id, toPageRequest(query, pageLimitMax));
      return { data: page.items.map(toMemoryRecord), count: page.count, ...truncatedMeta(page) };
    },
  );
};
