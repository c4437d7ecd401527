import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { FactSchema, toFactRecord } from '../../schemas/fact.ts';
import { idParams } from '../../schemas/query.ts';

export const getFactById: Route = (app, { facts }) => {
  app.get(
    '/api/facts/:id',
    {
      schema: {
        operationId: 'getFactById',
        tags: ['Facts'],
        summary: 'One fact',
        params: idParams,
        response: { 200: dataOf(FactSchema), ...errorResponses },
      },
    },
    async ({ user, params }) => ({ data: toFactRecord(await facts.get(user, params.id), user) }),
  );
};
