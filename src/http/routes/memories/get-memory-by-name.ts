import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { DetailedMemorySchema, detailField } from '../../schemas/memory-detail.ts';
import { nameParams } from '../../schemas/query.ts';
import { loadDetails } from './detail/load-details.ts';

export const getMemoryByName: Route = (app, services) => {
  app.get(
    '/api/memories/named/:name',
    {
      schema: {
        operationId: 'getMemoryByName',
        tags: ['Memories'],
        summary: 'Get a named memory',
        description: 'The newest version; 404 where another memory supersedes it.',
        params: nameParams,
        querystring: Type.Object({ detail: detailField('standard') }),
        response: { 200: dataOf(DetailedMemorySchema, 'The newest version.'), ...errorResponses },
      },
    },
    async ({ user, params, query }, reply) => {
      const memory = await services.memories.getNamed(user, params.name);
      const [data] = await loadDetails(services, user, {
        memories: [memory],
        detail: query.detail ?? 'standard',
      });
      return reply.header('ETag', etagOf(memory)).send({ data });
    },
  );
};
