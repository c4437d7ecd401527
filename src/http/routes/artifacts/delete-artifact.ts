import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteArtifact: Route = (app, { artifacts }) => {
  app.delete(
    '/api/artifacts/:id',
    {
      schema: {
        operationId: 'deleteArtifact',
        tags: ['Artifacts'],
        summary: 'Delete an artifact',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await artifacts.delete(user, params.id);
      return reply.code(204).send(null);
    },
  );
};
