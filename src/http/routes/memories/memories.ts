import type { CreatedMemory } from '../../../domain/memories/create-memory.ts';
import { bulkIdsMax, jsonBytesMax, namePattern, nameRule } from '../../../domain/memories/memory.ts';
import { type SimilarMemory, similarKinds } from '../../../domain/memories/similar-memories.ts';
import { isStorable } from '../../../domain/shared/storable-text.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { previewOf } from '../../../search/shape/preview.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { CreateBody, toCreateRequest } from '../../schemas/create-body.ts';
import { bodyOf, dataOf, described, inTrash } from '../../schemas/envelope.ts';
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
import { fitRecords, truncatedFields } from '../../schemas/pagination.ts';
import { idParams, oneOf, timeText } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { nameTrashEntry } from '../trash.ts';
import { bulkCreateMemories } from './bulk-create.ts';
import { bulkMemoryRoutes } from './bulk-memories.ts';
import { exportMemories } from './export-memories.ts';
import { createFromMessages } from './from-messages.ts';
import { importRoutes } from './imports.ts';
import { getMemoriesStats, histogramOfMemories, listMemories } from './list-memories.ts';
import { DetailedMemorySchema, detailField, loadDetails } from './memory-details.ts';
import { namedMemoryRoutes } from './named-memories.ts';
import { relatedMemoryRoutes } from './related-memories.ts';
import { searchRoutes } from './search.ts';

const similarField = Type.Optional(
  Type.Array(
    Type.Object({
      id: Type.String({ examples: [sampleIds.otherMemory] }),
      preview: Type.String({ examples: ['The gateway timeout defaults to 30 seconds.'] }),
      kind: oneOf(similarKinds, {
        description:
          'duplicate: the same words; sameValue: it says the same; otherValue: another value of the same thing, of which ' +
          'only one can hold: supersede it if it is out of date.',
      }),
    }),
    {
      description:
        'Up to three earlier memories on the same matter; absent if none is known without a wait, as in bulk writes.',
    },
  ),
);

const CreateMeta = Type.Object({
  conversationId: Type.String(),
  sessionId: Type.String(),
  sessionCreated: Type.Boolean({ description: 'False when the memory continues a session of 90 minutes.' }),
  conversationCreated: Type.Boolean(),
  existing: Type.Optional(
    Type.Boolean({ description: 'True if a memory with the externalId existed before.' }),
  ),
  similar: similarField,
  ...warningsField,
});

const CreateResponse = Type.Object({ data: MemorySchema, meta: CreateMeta });

function toMeta({ memory, place, isExisting, similar = [] }: CreatedMemory) {
  if (isExisting) return { ...place, existing: true };
  return { ...place, ...(similar.length > 0 && { similar: similar.map(toSimilar) }), ...warningsOf(memory) };
}

const toSimilar = ({ memory: { id, content }, kind }: SimilarMemory) => ({
  id,
  preview: previewOf(content),
  kind,
});

const toResponse = (created: CreatedMemory) => ({
  status: created.isExisting ? (200 as const) : (201 as const),
  body: { data: toMemoryRecord(created.memory), meta: toMeta(created) },
  etag: etagOf(created.memory),
});

const createMemory: Route = (app, { memories }) =>
  app.post(
    '/api/memories',
    {
      schema: {
        operationId: 'createMemory',
        tags: ['Memories'],
        summary: 'Store a memory',
        description:
          'A search that starts after the response finds it by its words; vectors follow in the background ' +
          'unless the bundled model is used. Without `conversationId` the memory joins the conversation of its ' +
          'agent session, or the newest one that is at most 90 minutes old. A second create with the same ' +
          '`externalId` writes nothing and returns the first.',
        body: CreateBody,
        response: {
          200: described(CreateResponse, 'The memory that has this `externalId` already, unchanged.'),
          201: described(CreateResponse, 'The memory as it was stored.'),
        },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const act = keyedAct(request, reply, 201, toResponse);
      const { input, options } = toCreateRequest(body);
      const created = await memories.create(user, input, options, act);
      const { status, body: made, etag } = toResponse(created);
      return reply.code(status).header('ETag', etag).send(made);
    },
  );

const getMemoryById: Route = (app, services) =>
  app.get(
    '/api/memories/:id',
    {
      schema: {
        operationId: 'getMemoryById',
        tags: ['Memories'],
        summary: 'Get a memory',
        description:
          '`detail` chooses how much comes with it: topics, entities, facts, relationships and its place in the ' +
          'conversation. Send the ETag of the response in If-Match with an edit to be sure that nobody edited in ' +
          'between.',
        params: idParams,
        querystring: Type.Object({
          detail: detailField('standard'),
          asOfTime: Type.Optional(
            timeText(
              'The version of this time, with what was derived from it and the relationships that were there; 404 ' +
                'before it was written. A date alone means its end. No ETag: an earlier version cannot be edited.',
            ),
          ),
        }),
        response: { 200: dataOf(DetailedMemorySchema, 'The memory.') },
      },
    },
    async ({ user, params, query }, reply) => {
      const { asOfTime, detail = 'standard' } = query;
      const asOf = asOfTime === undefined ? undefined : parseTime(asOfTime, 'asOfTime', 'end');
      if (asOf !== undefined && asOf < services.clock.now()) {
        const memories = [await services.memories.getAsOf(user, params.id, asOf)];
        const [then] = await loadDetails(services, user, { memories, detail, asOf });
        return reply.send({ data: then });
      }
      const { memory, parts } = await services.memories.getWithParts(user, params.id);
      const [data] = await loadDetails(services, user, {
        memories: [memory],
        detail,
        parts: new Map([[memory.doc, parts]]),
      });
      return reply.header('ETag', etagOf(memory)).send({ data });
    },
  );

const UpdateBody = Type.Object(
  {
    content: Type.Optional(contentField),
    name: Type.Optional(
      Type.String({
        pattern: `^$|${namePattern}`,
        rule: `${nameRule}, or be empty`,
        description: 'A valid name assigns it, an empty text removes it.',
      }),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Deploys run from main, on Tuesdays.', topics: ['deploys'] }] },
);

const updateMemory: Route = (app, { memories }) =>
  app.put(
    '/api/memories/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateMemory',
        tags: ['Memories'],
        summary: 'Change a memory',
        description:
          'Changes only the fields that the body names. Searches with `asOfTime` still find the previous text. ' +
          'With If-Match: 412 if the memory has changed since.',
        params: idParams,
        body: UpdateBody,
        response: {
          200: bodyOf('The memory as it is now.', {
            data: MemorySchema,
            meta: Type.Optional(Type.Object(warningsField)),
          }),
        },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const input = toMemoryInput(body);
      const memory = await memories.update(user, params.id, input, expectedRevs(headers['if-match']));
      const { warnings } = body.content === undefined ? {} : warningsOf(memory);
      const data = toMemoryRecord(memory);
      return reply.header('ETag', etagOf(memory)).send({ data, ...(warnings && { meta: { warnings } }) });
    },
  );

const deleteMemory: Route = (app, { memories, trash }) =>
  app.delete(
    '/api/memories/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteMemory',
        tags: ['Memories'],
        summary: 'Delete a memory',
        description:
          'It goes to the trash, from which it can be restored. The newest version of a named memory gives its ' +
          'name back to the version before.',
        params: idParams,
        response: { 204: inTrash },
      },
    },
    async ({ user, params, headers }, reply) => {
      nameTrashEntry(reply, trash, await memories.delete(user, params.id, expectedRevs(headers['if-match'])));
      return reply.code(204).send(null);
    },
  );

const BatchBody = Type.Object(
  {
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: bulkIdsMax }),
    detail: detailField('minimal'),
  },
  { examples: [{ ids: [sampleIds.memory, sampleIds.otherMemory], detail: 'minimal' }] },
);

const BatchMeta = Type.Object({
  requested: Type.Integer({ description: 'Ids sent, repetitions included.' }),
  found: Type.Integer(),
  truncated: truncatedFields.truncated,
  rest: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With `truncated`: ids found and left out, to be asked for next.',
    }),
  ),
  missing: Type.Array(Type.String(), {
    description: 'Ids of no memory, malformed ones included, each once.',
  }),
});

const getMemoriesBatch: Route = (app, services) =>
  app.post(
    '/api/memories/batch',
    {
      config: { scope: 'read', textsRead: ['ids'] },
      schema: {
        operationId: 'getMemoriesBatch',
        tags: ['Memories'],
        summary: 'Get several memories by id',
        description:
          'In the order of the ids, each once. Ids of no memory do not fail the request; `meta.missing` names them.',
        body: BatchBody,
        response: {
          200: bodyOf('The memories found, and the ids of those that are not there.', {
            data: Type.Array(DetailedMemorySchema),
            meta: BatchMeta,
          }),
        },
      },
    },
    async ({ user, body }) => {
      const ids = [...new Set(body.ids)];
      const all = await services.memories.findMany(user, ids.filter(isStorable));
      const { data: memories } = fitRecords(all, jsonBytesMax);
      const detail = body.detail ?? 'minimal';
      const records = await loadDetails(services, user, { memories, detail });
      const { data } = detail === 'minimal' ? { data: records } : fitRecords(records);
      const found = new Set(all.map(({ id }) => id));
      const rest = all.slice(data.length).map(({ id }) => id);
      const missing = ids.filter((id) => !found.has(id));
      return {
        data,
        meta: {
          requested: body.ids.length,
          found: all.length,
          missing,
          ...(rest.length > 0 && { truncated: true, rest }),
        },
      };
    },
  );

export const memoryRoutes: readonly Route[] = [
  createMemory,
  listMemories,
  ...searchRoutes,
  getMemoriesStats,
  histogramOfMemories,
  exportMemories,
  getMemoryById,
  updateMemory,
  deleteMemory,
  ...relatedMemoryRoutes,
  getMemoriesBatch,
  bulkCreateMemories,
  createFromMessages,
  ...importRoutes,
  ...bulkMemoryRoutes,
  ...namedMemoryRoutes,
];
