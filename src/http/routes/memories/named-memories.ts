import {
  appendSeparatorLengthMax,
  contentLengthMax,
  effectiveStates,
} from '../../../domain/memories/memory.ts';
import type { NewVersion } from '../../../domain/memories/named-memory.ts';
import { pageLimitMax } from '../../../domain/shared/page.ts';
import { parseTime, toIso } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { ImportQuery } from '../../schemas/ensured.ts';
import { bodyOf, dataOf, described } from '../../schemas/envelope.ts';
import { etagOf, expectedRevs } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  contentField,
  statedFields,
  timeFields,
  toMemoryInput,
  warningsField,
  warningsOf,
} from '../../schemas/memory-body.ts';
import { goesOn, TruncatedMetaSchema, toListPage, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, nameParams, oneOf, timeText } from '../../schemas/query.ts';
import { DetailedMemorySchema, detailField, loadDetails } from './memory-details.ts';

const getMemoryByName: Route = (app, services) =>
  app.get(
    '/api/memories/named/:name',
    {
      schema: {
        operationId: 'getMemoryByName',
        tags: ['Memories'],
        summary: 'Get a named memory',
        description: 'The newest version; 404 where another memory supersedes it.',
        params: nameParams,
        querystring: Type.Object({ detail: detailField('standard') }),
        response: { 200: dataOf(DetailedMemorySchema, 'The newest version.') },
      },
    },
    async ({ user, params, query }, reply) => {
      const memory = await services.memories.getNamed(user, params.name);
      const [data] = await loadDetails(services, user, {
        memories: [memory],
        detail: query.detail ?? 'standard',
      });
      return reply.header('ETag', etagOf(memory)).send({ data });
    },
  );

const VersionBody = Type.Object(
  {
    content: contentField,
    conversationId: Type.Optional(
      Type.String({ minLength: 1, description: 'As on create; absent: that of the version before.' }),
    ),
    expectedHeadId: Type.Optional(
      Type.String({
        description: 'Compare and swap: 409 with details.currentHeadId when another is the head.',
      }),
    ),
    supersedes: Type.Optional(Type.String({ description: 'A further memory that this one supersedes.' })),
    createdAt: Type.Optional(
      timeText('When the version was written elsewhere, for imports; not in the future.'),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Release on Thursday instead.' }] },
);

const NewVersionResponse = Type.Object({
  data: MemorySchema,
  meta: Type.Object({
    previousVersionId: Type.Optional(Type.String({ description: 'Absent for a first version.' })),
    version: Type.Integer(),
    existing: Type.Optional(
      Type.Boolean({ description: 'True if the newest version says this already, and nothing was written.' }),
    ),
    keptEdit: Type.Optional(
      Type.Boolean({
        description: 'Of an import: the text has changed there, but here as well, and nothing was written.',
      }),
    ),
    ...warningsField,
  }),
});

const toResponse = ({ memory, previousVersionId, version, kept }: NewVersion) => ({
  status: kept ? (200 as const) : (201 as const),
  body: {
    data: toMemoryRecord(memory),
    meta: {
      previousVersionId,
      version,
      ...(kept && { existing: true }),
      ...(kept === 'keptEdit' && { keptEdit: true }),
      ...(!kept && warningsOf(memory)),
    },
  },
  etag: etagOf(memory),
});

const updateNamedMemory: Route = (app, { memories, imports }) =>
  app.put(
    '/api/memories/named/:name',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateNamedMemory',
        tags: ['Memories'],
        summary: 'Add a version to a named memory',
        description:
          'Topics, memoryType, context and the like are taken over from the version before; eventTime, validFrom and ' +
          'validTo are not, for they say when the statement before was true. Where the newest version has all fields of the ' +
          'body already, nothing is written (200).',
        params: nameParams,
        querystring: ImportQuery,
        body: VersionBody,
        response: {
          200: described(NewVersionResponse, 'The newest version, which has these fields already.'),
          201: described(NewVersionResponse, 'The new version, and the id of the one before.'),
        },
      },
    },
    async ({ user, params, body, query, headers }, reply) => {
      const { importId } = query;
      if (importId !== undefined) await imports.get(user, importId);
      const { content, conversationId, expectedHeadId, supersedes } = body;
      const createdAt = body.createdAt === undefined ? undefined : parseTime(body.createdAt, 'createdAt');
      const { name: _, ...input } = toMemoryInput(body);
      const added = await memories.addVersion(
        user,
        params.name,
        { ...input, content, conversationId, expectedHeadId, supersedes, createdAt, importId },
        expectedRevs(headers['if-match']),
      );
      const { status, body: made, etag } = toResponse(added);
      return reply.code(status).header('ETag', etag).send(made);
    },
  );

const blankLine = '\n\n';

const AppendBody = Type.Object(
  {
    block: Type.String({
      minLength: 1,
      maxLength: contentLengthMax,
      description: 'Text to add after what is there.',
    }),
    separator: Type.Optional(
      Type.String({
        maxLength: appendSeparatorLengthMax,
        default: blankLine,
        description: 'Between what is there and the block; a blank line by default.',
      }),
    ),
    conversationId: Type.Optional(
      Type.String({ minLength: 1, description: 'As on create; absent: that of the version before.' }),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ block: 'Thursday: the build is green again.' }] },
);

const appendNamedMemory: Route = (app, { memories }) =>
  app.post(
    '/api/memories/named/:name/append',
    {
      schema: {
        operationId: 'appendNamedMemory',
        tags: ['Memories'],
        summary: 'Add text to a named memory',
        description:
          'Makes a new version whose text is that of the newest one, the separator and the block. Appends at the same ' +
          'time are done one after the other: none is lost. What the body leaves out is as in a PUT of a new version. ' +
          'Where the text would be longer than 50,000 characters: 413, and nothing is written.',
        params: nameParams,
        body: AppendBody,
        response: {
          201: described(
            NewVersionResponse,
            'The new version with its whole text, and the id of the one before.',
          ),
        },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const { block, separator = blankLine, conversationId } = body;
      const { name: _, content: __, ...input } = toMemoryInput(body);
      const added = await memories.append(
        user,
        params.name,
        { ...input, block, separator, conversationId },
        keyedAct(request, reply, 201, toResponse),
      );
      const { body: made, etag } = toResponse(added);
      return reply.code(201).header('ETag', etag).send(made);
    },
  );

const Version = Type.Object(
  {
    version: Type.Integer(),
    id: Type.String(),
    content: Type.String(),
    effectiveState: oneOf(effectiveStates, component('EffectiveState')),
    createdAt: Type.String(),
  },
  component('MemoryVersion'),
);

const getNamedMemoryHistory: Route = (app, { memories }) =>
  app.get(
    '/api/memories/named/:name/history',
    {
      schema: {
        operationId: 'getNamedMemoryHistory',
        tags: ['Memories'],
        summary: 'List the versions of a named memory',
        description: 'Newest first. An earlier version can be read in full by its id.',
        params: nameParams,
        querystring: Type.Object(cursorQuery),
        response: {
          200: bodyOf('The versions.', {
            name: Type.String(),
            versions: Type.Array(Version),
            pagination: Type.Optional(Type.Ref('Pagination')),
            meta: Type.Optional(TruncatedMetaSchema),
          }),
        },
      },
    },
    async (request) => {
      const { user, params } = request;
      const page = await memories.history(user, params.name, toListPage(request, pageLimitMax));
      return {
        name: params.name,
        versions: page.items.map((memory) => ({
          version: memory.chainVersion ?? 1,
          id: memory.id,
          content: memory.content,
          effectiveState: memory.effectiveState,
          createdAt: toIso(memory.createdAt),
        })),
        ...goesOn(page, request),
        ...truncatedMeta(page),
      };
    },
  );

export const namedMemoryRoutes: readonly Route[] = [
  getMemoryByName,
  updateNamedMemory,
  appendNamedMemory,
  getNamedMemoryHistory,
];
