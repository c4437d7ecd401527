import { invalidInput } from '../../../domain/shared/errors.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { topicsField } from '../../schemas/memory-body.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { bulkFailures, bulkIds, toBulkFailures } from './bulk-answer.ts';

const Body = Type.Object(
  {
    ids: bulkIds,
    addTopics: Type.Optional(topicsField),
    removeTopics: Type.Optional(topicsField),
  },
  { examples: [{ ids: [sampleIds.memory, sampleIds.otherMemory], addTopics: ['release'] }] },
);

export const bulkTagMemories: Route = (app, { memories }) => {
  app.post(
    '/api/memories/bulk-tag',
    {
      schema: {
        operationId: 'bulkTagMemories',
        tags: ['Memories'],
        summary: 'Remove topics from and then add topics to up to 100 memories',
        body: Body,
        response: { 200: Type.Object({ modified: Type.Integer(), ...bulkFailures }), ...errorResponses },
      },
    },
    async ({ user, body: { ids, addTopics = [], removeTopics = [] } }) => {
      if (addTopics.length === 0 && removeTopics.length === 0)
        throw invalidInput('addTopics or removeTopics', 'must name a topic');
      const { done, errors } = await memories.bulkTag(user, ids, { add: addTopics, remove: removeTopics });
      return { modified: done, ...toBulkFailures(errors) };
    },
  );
};
