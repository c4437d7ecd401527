import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
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
        summary: 'Delete a memory; the newest version of a named one gives its name to the version before',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      await memories.delete(user, params.id, expectedRevs(headers['if-match']));
      return reply.code(204).send(null);
    },
  );
};
