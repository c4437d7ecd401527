import { effectiveStates } from '../../../domain/memories/memory.ts';
import { pageLimitMax, toPageRequest } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { TruncatedMetaSchema, truncatedMeta } from '../../schemas/pagination.ts';
import { nameParams, oneOf, pageQuery } from '../../schemas/query.ts';

const Version = Type.Object({
  version: Type.Integer(),
  id: Type.String(),
  content: Type.String(),
  effectiveState: oneOf(effectiveStates),
  createdAt: Type.String(),
});

export const getNamedMemoryHistory: Route = (app, { memories }) => {
  app.get(
    '/api/memories/named/:name/history',
    {
      schema: {
        operationId: 'getNamedMemoryHistory',
        tags: ['Memories'],
        summary: 'The versions of a named memory, newest first',
        params: nameParams,
        querystring: Type.Object(pageQuery),
        response: {
          200: Type.Object({
            name: Type.String(),
            versions: Type.Array(Version),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const request = toPageRequest(query, pageLimitMax);
      const { items, taken, isFull } = await memories.history(user, params.name, request);
      return {
        name: params.name,
        versions: items.map((memory) => ({
          version: memory.chainVersion ?? 1,
          id: memory.id,
          content: memory.content,
          effectiveState: memory.effectiveState,
          createdAt: toIso(memory.createdAt),
        })),
        ...truncatedMeta({ nextOffset: isFull ? request.offset + taken : undefined }),
      };
    },
  );
};
