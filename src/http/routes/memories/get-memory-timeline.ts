import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { cutShort, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { idParams } from '../../schemas/query.ts';

const neighboursDefault = 5;
const neighboursMax = 100;

const neighbours = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: neighboursDefault, description }));

export const getMemoryTimeline: Route = (app, { memories, search }) => {
  app.get(
    '/api/memories/:id/timeline',
    {
      schema: {
        operationId: 'getMemoryTimeline',
        tags: ['Memories'],
        summary: 'Show what came before and after a memory',
        description: 'Over all conversations, by event time, or ingestion time where none was stated.',
        params: idParams,
        querystring: Type.Object({
          before: neighbours(`Preceding memories; more than ${neighboursMax} gives ${neighboursMax}.`),
          after: neighbours(`Following memories; more than ${neighboursMax} gives ${neighboursMax}.`),
        }),
        response: {
          200: Type.Object(
            {
              data: Type.Object({
                memory: MemorySchema,
                preceding: Type.Array(MemorySchema),
                following: Type.Array(MemorySchema),
              }),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The memory with those before and after it, oldest first.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const memory = await memories.get(user, params.id);
      const { preceding, following, isFull } = await search.around(user, memory, {
        before: Math.min(query.before ?? neighboursDefault, neighboursMax),
        after: Math.min(query.after ?? neighboursDefault, neighboursMax),
      });
      return {
        data: {
          memory: toMemoryRecord(memory),
          preceding: preceding.map(toMemoryRecord),
          following: following.map(toMemoryRecord),
        },
        ...cutShort(isFull),
      };
    },
  );
};
