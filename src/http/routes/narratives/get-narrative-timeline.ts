import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses, nextCursorField } from '../../schemas/envelope.ts';
import {
  NarrativeMemorySchema,
  NarrativeSchema,
  toNarrativeMemories,
  toNarrativeRecord,
} from '../../schemas/narrative.ts';
import { nextCursorOf, TruncatedMetaSchema, toListPage, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, idParams } from '../../schemas/query.ts';

export const getNarrativeTimeline: Route = (app, { narratives }) => {
  app.get(
    '/api/narratives/:id/timeline',
    {
      schema: {
        operationId: 'getNarrativeTimeline',
        tags: ['Narratives'],
        summary: 'List the memories of a narrative in order',
        description: 'In the order of the thread, with the thread itself.',
        params: idParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: Type.Object(
            {
              data: Type.Array(NarrativeMemorySchema),
              narrative: NarrativeSchema,
              pagination: Type.Object({
                limit: Type.Integer(),
                offset: Type.Integer(),
                total: Type.Integer({ description: 'All memories of the thread.' }),
                nextCursor: Type.Optional(nextCursorField),
              }),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of memories with their positions.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const { narrative, page } = await narratives.timeline(user, params.id, toListPage(request));
      return {
        data: toNarrativeMemories(page),
        narrative: toNarrativeRecord(narrative, user),
        pagination: {
          limit: page.limit,
          offset: page.offset,
          total: page.count,
          ...nextCursorOf(page, request),
        },
        ...truncatedMeta(page),
      };
    },
  );
};
