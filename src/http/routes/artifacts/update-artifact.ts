import type { Artifact } from '../../../domain/artifacts/artifact.ts';
import { type Route, Type } from '../../route-plugin.ts';
import {
  ArtifactSchema,
  artifactContentField,
  artifactContentOf,
  artifactDataField,
  artifactFields,
  artifactTypeField,
  toArtifactRecord,
} from '../../schemas/artifact.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    content: Type.Optional(artifactContentField),
    data: artifactDataField,
    type: Type.Optional(artifactTypeField),
    ...artifactFields,
  },
  { examples: [{ content: '# Release 3', description: 'What to do on release day' }] },
);

export const updateArtifact: Route = (app, { artifacts }) => {
  app.patch(
    '/api/artifacts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateArtifact',
        tags: ['Artifacts'],
        summary: 'Change an artifact',
        description: 'Changes what the body names and nothing else.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(ArtifactSchema, 'The artifact as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { type, name, description, metadata } = body;
      const change = { content: artifactContentOf(body), type, name, description, metadata };
      const isSeen = ifMatch(headers, (artifact: Artifact) => toArtifactRecord(artifact, user));
      const data = toArtifactRecord(await artifacts.update(user, params.id, change, isSeen), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
