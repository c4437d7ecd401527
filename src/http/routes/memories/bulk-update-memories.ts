import { memoryTypes } from '../../../domain/memories/memory.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { topicsField } from '../../schemas/memory-body.ts';
import { oneOf } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { bulkFailures, bulkIds, toBulkFailures } from './bulk-answer.ts';

const Body = Type.Object(
  {
    ids: bulkIds,
    updates: Type.Object({
      topics: Type.Optional(topicsField),
      memoryType: Type.Optional(oneOf(memoryTypes)),
    }),
  },
  { examples: [{ ids: [sampleIds.memory], updates: { memoryType: 'semantic' } }] },
);

export const bulkUpdateMemories: Route = (app, { memories }) => {
  app.post(
    '/api/memories/bulk-update',
    {
      schema: {
        operationId: 'bulkUpdateMemories',
        tags: ['Memories'],
        summary: 'Replace the topics, set the type, or both, of up to 100 memories',
        body: Body,
        response: { 200: Type.Object({ updated: Type.Integer(), ...bulkFailures }), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const { topics, memoryType } = body.updates;
      if (topics === undefined && memoryType === undefined)
        throw invalidInput('updates', 'must hold topics or memoryType');
      const { done, errors } = await memories.bulkUpdate(user, body.ids, { topics, memoryType });
      return { updated: done, ...toBulkFailures(errors) };
    },
  );
};
