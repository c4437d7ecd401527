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
        summary: 'Get an artifact',
        description: 'With its whole content.',
        params: idParams,
        response: { 200: dataOf(ArtifactSchema, 'The artifact.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toArtifactRecord(await artifacts.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
