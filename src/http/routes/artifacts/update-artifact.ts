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
      schema: {
        operationId: 'updateArtifact',
        tags: ['Artifacts'],
        summary: 'Change what the body names of an artifact and nothing else',
        params: idParams,
        body: Body,
        response: { 200: dataOf(ArtifactSchema), ...errorResponses },
      },
    },
    async ({ user, params, body }) => {
      const { type, name, description, metadata } = body;
      const change = { content: artifactContentOf(body), type, name, description, metadata };
      return { data: toArtifactRecord(await artifacts.update(user, params.id, change), user) };
    },
  );
};
