import type { Route } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { expectedRevs } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteMemory: Route = (app, { memories }) => {
  app.delete(
    '/api/memories/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteMemory',
        tags: ['Memories'],
        summary: 'Delete a memory',
        description:
          'It goes to the trash, from which it can be restored. The newest version of a named memory gives its ' +
          'name back to the version before.',
        params: idParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      await memories.delete(user, params.id, expectedRevs(headers['if-match']));
      return reply.code(204).send(null);
    },
  );
};
