import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteNarrative: Route = (app, { narratives }) => {
  app.delete(
    '/api/narratives/:id',
    {
      schema: {
        operationId: 'deleteNarrative',
        tags: ['Narratives'],
        summary: 'Delete a thread; its memories stay',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await narratives.delete(user, params.id);
      return reply.code(204).send(null);
    },
  );
};
