import type { Artifact } from '../../../domain/artifacts/artifact.ts';
import type { Route } from '../../route-plugin.ts';
import { toArtifactRecord } from '../../schemas/artifact.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { ifMatch } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteArtifact: Route = (app, { artifacts }) => {
  app.delete(
    '/api/artifacts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteArtifact',
        tags: ['Artifacts'],
        summary: 'Delete an artifact',
        description: 'It goes to the trash, from which it can be restored.',
        params: idParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (artifact: Artifact) => toArtifactRecord(artifact, user));
      await artifacts.delete(user, params.id, isSeen);
      return reply.code(204).send(null);
    },
  );
};
