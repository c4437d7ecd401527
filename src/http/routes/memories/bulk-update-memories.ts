import type { BulkResult } from '../../../domain/memories/bulk-memories.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { contentField, statedFields, timeFields, toMemoryInput } from '../../schemas/memory-body.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { bulkFailures, bulkIds, toBulkFailures } from './bulk-response.ts';

const Body = Type.Object(
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

const toBody = ({ done, errors }: BulkResult) => ({ updated: done, ...toBulkFailures(errors) });

export const bulkUpdateMemories: Route = (app, { memories }) => {
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
        body: Body,
        response: {
          200: Type.Object(
            { updated: Type.Integer(), ...bulkFailures },
            { description: 'How many were changed, and what failed.' },
          ),
          ...errorResponses,
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
      const act = keyedAct<BulkResult>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await memories.bulkUpdate(user, body.ids, input, act));
    },
  );
};
