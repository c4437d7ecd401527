import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { DetailedMemorySchema, detailField } from '../../schemas/memory-detail.ts';
import { idParams } from '../../schemas/query.ts';
import { loadDetails } from './detail/load-details.ts';

export const getMemoryById: Route = (app, services) => {
  app.get(
    '/api/memories/:id',
    {
      schema: {
        operationId: 'getMemoryById',
        tags: ['Memories'],
        summary: 'One memory; the ETag of the answer lets an edit make sure that nobody else edited since',
        params: idParams,
        querystring: Type.Object({ detail: detailField('standard') }),
        response: { 200: dataOf(DetailedMemorySchema), ...errorResponses },
      },
    },
    async ({ user, params, query }, reply) => {
      const memory = await services.memories.get(user, params.id);
      const [data] = await loadDetails(services, user, {
        memories: [memory],
        detail: query.detail ?? 'standard',
      });
      return reply.header('ETag', etagOf(memory)).send({ data });
    },
  );
};
