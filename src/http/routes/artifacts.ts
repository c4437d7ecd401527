import { type Artifact, artifactLengthMax } from '../../domain/artifacts/artifact.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import type { Ensured } from '../../domain/shared/external-id.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import {
  ensuredResponses,
  externalIdField,
  externalIdQuery,
  ImportQuery,
  toEnsured,
} from '../schemas/ensured.ts';
import { bodyOf, dataOf, inTrash } from '../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../schemas/if-match.ts';
import { goesOn, TruncatedMetaSchema, toListPage, truncatedMeta } from '../schemas/pagination.ts';
import { cursorQuery, idParams, jsonObject, recordId } from '../schemas/query.ts';
import { ArtifactSchema, toArtifactRecord } from '../schemas/records.ts';
import { nameTrashEntry } from './trash.ts';

const removable = (maxLength: number) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength,
      description: 'An empty text or null means none.',
    }),
  );

const artifactContentField = Type.String({ minLength: 1, maxLength: artifactLengthMax.content });
const artifactTypeField = Type.String({
  minLength: 1,
  maxLength: artifactLengthMax.type,
  description: 'Any word, such as note, document or code. Not blank.',
});

/** Some clients send `data` instead of `content`. */
const artifactDataField = Type.Optional(
  Type.Unknown({ description: 'In place of an absent content; what is no text is kept as JSON text.' }),
);

/** @returns undefined if the body has neither */
function artifactContentOf(body: { content?: string; data?: unknown }): string | undefined {
  const { content, data } = body;
  if (content !== undefined || data === undefined) return content;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** Optional fields of an artifact, for create and update: all but content and type. */
const artifactFields = {
  name: removable(artifactLengthMax.name),
  description: removable(artifactLengthMax.description),
  metadata: Type.Optional(
    jsonObject(
      `At most ${artifactLengthMax.metadata} characters as JSON; replaces what was there as a whole.`,
    ),
  ),
} as const;

const Query = Type.Object({
  ...cursorQuery,
  memoryId: Type.Optional(recordId('Only those that belong to this memory.')),
  conversationId: Type.Optional(recordId('Only those that belong to this conversation.')),
  type: Type.Optional(Type.String({ maxLength: 500, description: 'Only those of exactly this type.' })),
  externalId: externalIdQuery('artifact'),
});

const listArtifacts: Route = (app, { artifacts }) =>
  app.get(
    '/api/artifacts',
    {
      schema: {
        operationId: 'listArtifacts',
        tags: ['Artifacts'],
        summary: 'List artifacts',
        description: 'Newest first; filters by type, memory and conversation.',
        querystring: Query,
        response: {
          200: bodyOf('One page of artifacts, and the number of all that match.', {
            data: Type.Array(ArtifactSchema),
            count: Type.Integer({ description: 'All that match, not only those on this page.' }),
            pagination: Type.Optional(Type.Ref('Pagination')),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { memoryId, conversationId, type, externalId } = query;
      const filter = { memoryId, conversationId, type, externalId };
      const page = await artifacts.list(user, { ...toListPage(request), ...filter });
      const data = page.items.map((artifact) => toArtifactRecord(artifact, user));
      return { data, count: page.count, ...goesOn(page, request), ...truncatedMeta(page) };
    },
  );

const CreateBody = Type.Object(
  {
    content: Type.Optional(artifactContentField),
    data: artifactDataField,
    type: artifactTypeField,
    ...artifactFields,
    memoryId: Type.Optional(recordId('A memory that it belongs to.')),
    conversationId: Type.Optional(recordId('A conversation that it belongs to.')),
    contextId: Type.Optional(recordId('In place of an absent conversationId.')),
    externalId: externalIdField('artifact'),
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

const createArtifact: Route = (app, { artifacts, imports }) =>
  app.post(
    '/api/artifacts',
    {
      schema: {
        operationId: 'createArtifact',
        tags: ['Artifacts'],
        summary: 'Store an artifact',
        description:
          'A text of any kind, such as a document or code, kept whole and not searched. With a memory or ' +
          'conversation it is hidden while that is in the trash. A second create with the same `externalId` writes ' +
          'nothing and returns the first.',
        querystring: ImportQuery,
        body: CreateBody,
        response: ensuredResponses(ArtifactSchema, 'The artifact.'),
      },
    },
    async (request, reply) => {
      const { user, body, query } = request;
      const { type, name, description, metadata, memoryId, contextId, externalId } = body;
      const content = artifactContentOf(body);
      if (content === undefined) throw invalidInput('content', 'is required unless data is given');
      if (query.importId !== undefined) await imports.get(user, query.importId);
      const toResponse = (made: Ensured<Artifact>) =>
        toEnsured(made, (artifact) => toArtifactRecord(artifact, user));
      const input = {
        content,
        type,
        name,
        description,
        metadata,
        memoryId,
        conversationId: body.conversationId ?? contextId,
        externalId,
        importId: query.importId,
      };
      const act = keyedAct(request, reply, 201, toResponse);
      const made = toResponse(await artifacts.create(user, input, act));
      return reply.code(made.status).header('ETag', made.etag).send(made.body);
    },
  );

const getArtifactById: Route = (app, { artifacts }) =>
  app.get(
    '/api/artifacts/:id',
    {
      schema: {
        operationId: 'getArtifactById',
        tags: ['Artifacts'],
        summary: 'Get an artifact',
        description: 'With its whole content.',
        params: idParams,
        response: { 200: dataOf(ArtifactSchema, 'The artifact.') },
      },
    },
    async ({ user, params }, reply) => {
      const data = toArtifactRecord(await artifacts.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );

const UpdateBody = Type.Object(
  {
    content: Type.Optional(artifactContentField),
    data: artifactDataField,
    type: Type.Optional(artifactTypeField),
    ...artifactFields,
  },
  { examples: [{ content: '# Release 3', description: 'What to do on release day' }] },
);

const updateArtifact: Route = (app, { artifacts }) =>
  app.patch(
    '/api/artifacts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateArtifact',
        tags: ['Artifacts'],
        summary: 'Change an artifact',
        description: 'Changes only the fields that the body names.',
        params: idParams,
        body: UpdateBody,
        response: { 200: dataOf(ArtifactSchema, 'The artifact as it is now.') },
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

const deleteArtifact: Route = (app, { artifacts, trash }) =>
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
        response: { 204: inTrash },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (artifact: Artifact) => toArtifactRecord(artifact, user));
      nameTrashEntry(reply, trash, await artifacts.delete(user, params.id, isSeen));
      return reply.code(204).send(null);
    },
  );

export const artifactRoutes: readonly Route[] = [
  listArtifacts,
  createArtifact,
  getArtifactById,
  updateArtifact,
  deleteArtifact,
];
