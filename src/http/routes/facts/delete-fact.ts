import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteFact: Route = (app, { facts }) => {
  app.delete(
    '/api/facts/:id',
    {
      schema: {
        operationId: 'deleteFact',
        tags: ['Facts'],
        summary: 'Delete a fact',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await facts.delete(user, params.id);
      return reply.code(204).send(null);
    },
  );
};
