import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { TruncatedMetaSchema, toListPage, toPagination, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, idParams } from '../../schemas/query.ts';

const MentioningMemorySchema = Type.Object(
  { memory: MemorySchema, confidence: Type.Number({ description: '0-1: how sure the mention is.' }) },
  component('MentioningMemory'),
);

export const getEntityMemories: Route = (app, { entities }) => {
  app.get(
    '/api/entities/:id/memories',
    {
      schema: {
        operationId: 'getEntityMemories',
        tags: ['Entities'],
        summary: 'List the memories that mention an entity',
        description: 'By any of its names, the newest first.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: Type.Object(
            {
              data: Type.Array(MentioningMemorySchema),
              pagination: Type.Ref('Pagination'),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of memories.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const page = await entities.memories(user, params.id, toListPage(request));
      return {
        data: page.items.map(({ memory, confidence }) => ({ memory: toMemoryRecord(memory), confidence })),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );
};
