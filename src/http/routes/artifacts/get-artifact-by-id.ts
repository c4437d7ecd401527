import type { Route } from '../../route-plugin.ts';
import { ArtifactSchema, toArtifactRecord } from '../../schemas/artifact.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
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
    async ({ user, params }, reply) => {
      const data = toArtifactRecord(await artifacts.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
