import type { Route } from '../../route-plugin.ts';
import { ArtifactSchema, toArtifactRecord } from '../../schemas/artifact.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';

export const getArtifactById: Route = (app, { artifacts }) => {
  app.get(
    '/api/artifacts/:id',
    {
      schema: {
        operationId: 'getArtifactById',
        tags: ['Artifacts'],
        summary: 'One artifact',
        params: idParams,
        response: { 200: dataOf(ArtifactSchema), ...errorResponses },
      },
    },
    async ({ user, params }) => ({ data: toArtifactRecord(await artifacts.get(user, params.id), user) }),
  );
};
