import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const eraseTrashEntry: Route = (app, { trash }) => {
  app.delete(
    '/api/trash/:id',
    {
      schema: {
        operationId: 'eraseTrashEntry',
        tags: ['Trash'],
        summary: 'Erase a deleted record for good; answered when its text is gone from the store',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await trash.erase(user, params.id);
      return reply.code(204).send(null);
    },
  );
};
