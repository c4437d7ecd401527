import type { Entity } from '../../../domain/entities/entity.ts';
import type { Route } from '../../route-plugin.ts';
import { editableEntity } from '../../schemas/entity.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { ifMatch } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteEntity: Route = (app, { entities }) => {
  app.delete(
    '/api/entities/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteEntity',
        tags: ['Entities'],
        summary: 'Delete an entity',
        description:
          'Its memories stay, and show it no more; later ones that mention it do not bring it back. It goes to the ' +
          'trash, from which it can be restored.',
        params: idParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      await entities.delete(user, params.id, ifMatch<Entity>(headers, editableEntity));
      return reply.code(204).send(null);
    },
  );
};
