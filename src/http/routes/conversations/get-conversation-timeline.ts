import { pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { goesOn, TruncatedMetaSchema, toListPage, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery } from '../../schemas/query.ts';
import { conversationParams } from './conversation-params.ts';

const Query = Type.Object({
  ...cursorQuery,
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
              pagination: Type.Optional(Type.Ref('Pagination')),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of memories, and the number of all in the conversation.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const { id } = await conversations.get(user, params.conversationId);
      const page = await search.conversationTimeline(user, id, toListPage(request, pageLimitMax));
      return {
        data: page.items.map(toMemoryRecord),
        count: page.count,
        ...goesOn(page, request),
        ...truncatedMeta(page),
      };
    },
  );
};
