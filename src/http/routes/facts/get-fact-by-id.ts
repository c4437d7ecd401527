import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { FactSchema, toFactRecord } from '../../schemas/fact.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const getFactById: Route = (app, { facts }) => {
  app.get(
    '/api/facts/:id',
    {
      schema: {
        operationId: 'getFactById',
        tags: ['Facts'],
        summary: 'Get a fact',
        description: 'With the ids of the memories that it was drawn from.',
        params: idParams,
        response: { 200: dataOf(FactSchema, 'The fact.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toFactRecord(await facts.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
