import { bulkIdsMax } from '../../../domain/memories/memory.ts';
import type { BulkResult } from '../../../domain/memories/update-memory.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf } from '../../schemas/envelope.ts';
import {
  contentField,
  statedFields,
  timeFields,
  toMemoryInput,
  topicsField,
} from '../../schemas/memory-body.ts';
import { sampleIds } from '../../schemas/samples.ts';

/** Ids for a bulk operation; repeated ids count once. */
const bulkIds = Type.Array(Type.String(), { minItems: 1, maxItems: bulkIdsMax });

/** Failed memories with reasons; all others were changed. */
const bulkFailures = {
  failed: Type.Integer(),
  errors: Type.Array(Type.Object({ id: Type.String(), error: Type.String() }, component('BulkFailure'))),
} as const;

const toBulkFailures = ({ errors }: Pick<BulkResult, 'errors'>) => ({
  failed: errors.length,
  errors: [...errors],
});

const DeleteBody = Type.Object(
  {
    ids: bulkIds,
    confirmDeletion: Type.Literal(true, { description: 'Anything but true changes nothing.' }),
  },
  { examples: [{ ids: [sampleIds.memory], confirmDeletion: true }] },
);

const bulkDeleteMemories: Route = (app, { memories }) =>
  app.delete(
    '/api/memories/bulk',
    {
      schema: {
        operationId: 'bulkDeleteMemories',
        tags: ['Memories'],
        summary: 'Delete up to 100 memories',
        description: 'Each goes to the trash. One that cannot be deleted does not stop the others.',
        body: DeleteBody,
        response: {
          200: bodyOf('How many were deleted, and what failed.', {
            deleted: Type.Integer(),
            ...bulkFailures,
          }),
        },
      },
    },
    async ({ user, body }) => {
      const result = await memories.bulkDelete(user, body.ids);
      return { deleted: result.done, ...toBulkFailures(result) };
    },
  );

const TagBody = Type.Object(
  {
    ids: bulkIds,
    addTopics: Type.Optional(topicsField),
    removeTopics: Type.Optional(topicsField),
  },
  { examples: [{ ids: [sampleIds.memory, sampleIds.otherMemory], addTopics: ['release'] }] },
);

const toTagBody = (result: BulkResult) => ({ modified: result.done, ...toBulkFailures(result) });

const bulkTagMemories: Route = (app, { memories }) =>
  app.post(
    '/api/memories/bulk-tag',
    {
      schema: {
        operationId: 'bulkTagMemories',
        tags: ['Memories'],
        summary: 'Add and remove topics on up to 100 memories',
        description: 'Topics to remove go first. One memory that fails does not stop the others.',
        body: TagBody,
        response: {
          200: bodyOf('How many were changed, and what failed.', {
            modified: Type.Integer(),
            ...bulkFailures,
          }),
        },
      },
    },
    async (request, reply) => {
      const { ids, addTopics = [], removeTopics = [] } = request.body;
      if (addTopics.length === 0 && removeTopics.length === 0)
        throw invalidInput('addTopics or removeTopics', 'must name a topic');
      const act = keyedAct<BulkResult>(request, reply, 200, (done) => ({ body: toTagBody(done) }));
      const change = { add: addTopics, remove: removeTopics };
      return toTagBody(await memories.bulkTag(request.user, ids, change, act));
    },
  );

const UpdateBody = Type.Object(
  {
    ids: bulkIds,
    updates: Type.Object(
      {
        content: Type.Optional(contentField),
        name: Type.Optional(Type.Unknown({ description: 'Refused: a name is of one memory only.' })),
        ...statedFields,
        ...timeFields,
      },
      component('MemoryChanges'),
    ),
  },
  { examples: [{ ids: [sampleIds.memory], updates: { memoryType: 'semantic' } }] },
);

const toUpdateBody = (result: BulkResult) => ({ updated: result.done, ...toBulkFailures(result) });

const bulkUpdateMemories: Route = (app, { memories }) =>
  app.post(
    '/api/memories/bulk-update',
    {
      schema: {
        operationId: 'bulkUpdateMemories',
        tags: ['Memories'],
        summary: 'Change up to 100 memories',
        description:
          'The same fields for all of them: everything that PUT /api/memories/{id} takes but the name. One that ' +
          'fails does not stop the others.',
        body: UpdateBody,
        response: {
          200: bodyOf('How many were changed, and what failed.', {
            updated: Type.Integer(),
            ...bulkFailures,
          }),
        },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const { name, ...stated } = body.updates;
      if (name !== undefined) throw invalidInput('updates.name', 'cannot be given to several memories');
      const input = toMemoryInput(stated, 'updates.');
      if (Object.values(input).every((value) => value === undefined))
        throw invalidInput('updates', 'must hold a field of a memory, such as topics or memoryType');
      const act = keyedAct<BulkResult>(request, reply, 200, (done) => ({ body: toUpdateBody(done) }));
      return toUpdateBody(await memories.bulkUpdate(user, body.ids, input, act));
    },
  );

export const bulkMemoryRoutes: readonly Route[] = [bulkDeleteMemories, bulkTagMemories, bulkUpdateMemories];
