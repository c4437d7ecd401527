import { effectiveStates } from '../../../domain/memories/memory.ts';
import { pageLimitMax } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { goesOn, TruncatedMetaSchema, toListPage, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, nameParams, oneOf } from '../../schemas/query.ts';

const Version = Type.Object(
  {
    version: Type.Integer(),
    id: Type.String(),
    content: Type.String(),
    effectiveState: oneOf(effectiveStates, component('EffectiveState')),
    createdAt: Type.String(),
  },
  component('MemoryVersion'),
);

export const getNamedMemoryHistory: Route = (app, { memories }) => {
  app.get(
    '/api/memories/named/:name/history',
    {
      schema: {
        operationId: 'getNamedMemoryHistory',
        tags: ['Memories'],
        summary: 'List the versions of a named memory',
        description: 'Newest first. An earlier version can be read in full by its id.',
        params: nameParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: Type.Object(
            {
              name: Type.String(),
              versions: Type.Array(Version),
              pagination: Type.Optional(Type.Ref('Pagination')),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The versions.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const page = await memories.history(user, params.name, toListPage(request, pageLimitMax));
      return {
        name: params.name,
        versions: page.items.map((memory) => ({
          version: memory.chainVersion ?? 1,
          id: memory.id,
          content: memory.content,
          effectiveState: memory.effectiveState,
          createdAt: toIso(memory.createdAt),
        })),
        ...goesOn(page, request),
        ...truncatedMeta(page),
      };
    },
  );
};
