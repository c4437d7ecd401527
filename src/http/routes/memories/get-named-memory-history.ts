import { effectiveStates } from '../../../domain/memories/memory.ts';
import { pageLimitMax } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { nameParams, oneOf } from '../../schemas/query.ts';

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
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
        response: {
          200: Type.Object({ name: Type.String(), versions: Type.Array(Version) }),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, query }) => {
      const limit = Math.min(query.limit ?? pageLimitMax, pageLimitMax);
      const versions = await memories.history(user, params.name, limit);
      return {
        name: params.name,
        versions: versions.map((memory) => ({
          version: memory.chainVersion ?? 1,
          id: memory.id,
          content: memory.content,
          effectiveState: memory.effectiveState,
          createdAt: toIso(memory.createdAt),
        })),
      };
    },
  );
};
