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
        summary: 'Get a memory',
        description:
          '`detail` chooses how much comes with it: topics, entities, facts, relationships and its place in the ' +
          'conversation. Send the ETag of the response in If-Match with an edit to be sure that nobody edited in ' +
          'between.',
        params: idParams,
        querystring: Type.Object({ detail: detailField('standard') }),
        response: { 200: dataOf(DetailedMemorySchema, 'The memory.'), ...errorResponses },
      },
    },
    async ({ user, params, query }, reply) => {
      const { memory, parts } = await services.memories.getWithParts(user, params.id);
      const [data] = await loadDetails(services, user, {
        memories: [memory],
        detail: query.detail ?? 'standard',
        parts: new Map([[memory.doc, parts]]),
      });
      return reply.header('ETag', etagOf(memory)).send({ data });
    },
  );
};
