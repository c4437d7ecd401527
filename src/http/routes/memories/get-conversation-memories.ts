import type { Memory } from '../../../domain/memories/memory.ts';
import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { Search } from '../../../retrieval/search-port.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { cutShort, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { idParams, limitQuery } from '../../schemas/query.ts';
import { conversationPosition } from './detail/conversation-position.ts';
import { RelatedMemorySchema } from './related-memory.ts';

interface Around {
  readonly source: Memory;
  /** Position of `source` in its conversation, from 1. */
  readonly position: number;
  /** Maximum number of memories before and after it. */
  readonly limit: number;
}

/** The stretch of a conversation that holds the `limit` memories nearest to one; of two equally near, the earlier. */
async function memoriesAround(search: Search, user: UserRef, { source, position, limit }: Around) {
  const read = (offset: number) =>
    search.conversationTimeline(user, source.conversationId, { limit: limit + 1, offset });
  const page = await read(Math.max(0, position - 1 - Math.ceil(limit / 2)));
  const last = Math.max(0, page.count - limit - 1);
  return page.offset > last ? read(last) : page;
}

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
      const position = await conversationPosition(search, user, source);
      const page = await memoriesAround(search, user, { source, position, limit });
      const data = page.items
        .map((memory, i) => ({
          memory: toMemoryRecord(memory),
          score: 1 - Math.min(1, Math.abs(page.offset + i + 1 - position) / page.count),
          relationship: 'conversation',
        }))
        .filter(({ memory }) => memory.id !== source.id)
        .slice(0, limit);
      return {
        data,
        sourceMemory: toMemoryRecord(source),
        conversationId: source.conversationId,
        ...cutShort(page.nextOffset !== undefined),
      };
    },
  );
};
