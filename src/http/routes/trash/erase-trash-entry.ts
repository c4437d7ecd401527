import type { Route } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const eraseTrashEntry: Route = (app, { trash }) => {
  app.delete(
    '/api/trash/:id',
    {
      schema: {
        operationId: 'eraseTrashEntry',
        tags: ['Trash'],
        summary: 'Erase a deleted record for good',
        description: 'Answered when its text is gone from the store. There is no way back.',
        params: idParams,
        response: { 204: noContent('Erased.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await trash.erase(user, params.id);
      return reply.code(204).send(null);
    },
  );
};
