import type { Artifact } from '../../../domain/artifacts/artifact.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { keyedAct } from '../../keyed-act.ts';
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
import { etagOfRecord } from '../../schemas/if-match.ts';
import { recordId } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    content: Type.Optional(artifactContentField),
    data: artifactDataField,
    type: artifactTypeField,
    ...artifactFields,
    memoryId: Type.Optional(recordId('A memory that it belongs to.')),
    conversationId: Type.Optional(recordId('A conversation that it belongs to.')),
    contextId: Type.Optional(recordId('In place of an absent conversationId.')),
  },
  {
    examples: [
      {
        content: '# Release 2\n\n- build\n- deploy',
        type: 'document',
        name: 'release-checklist',
        metadata: { language: 'markdown' },
      },
    ],
  },
);

export const createArtifact: Route = (app, { artifacts }) => {
  app.post(
    '/api/artifacts',
    {
      schema: {
        operationId: 'createArtifact',
        tags: ['Artifacts'],
        summary: 'Store an artifact',
        description:
          'A text of any kind, such as a document or code, kept whole and not searched. With a memory or ' +
          'conversation it is hidden while that is in the trash.',
        body: Body,
        response: { 201: dataOf(ArtifactSchema, 'The artifact.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const { type, name, description, metadata, memoryId, contextId } = body;
      const content = artifactContentOf(body);
      if (content === undefined) throw invalidInput('content', 'is required unless data is given');
      const toResponse = (artifact: Artifact) => {
        const data = toArtifactRecord(artifact, user);
        return { body: { data }, etag: etagOfRecord(data) };
      };
      const input = {
        content,
        type,
        name,
        description,
        metadata,
        memoryId,
        conversationId: body.conversationId ?? contextId,
      };
      const artifact = await artifacts.create(user, input, keyedAct(request, reply, 201, toResponse));
      const made = toResponse(artifact);
      return reply.code(201).header('ETag', made.etag).send(made.body);
    },
  );
};
