import type { BulkResult } from '../../../domain/memories/bulk-memories.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { topicsField } from '../../schemas/memory-body.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { bulkFailures, bulkIds, toBulkFailures } from './bulk-response.ts';

const Body = Type.Object(
  {
    ids: bulkIds,
    addTopics: Type.Optional(topicsField),
    removeTopics: Type.Optional(topicsField),
  },
  { examples: [{ ids: [sampleIds.memory, sampleIds.otherMemory], addTopics: ['release'] }] },
);

const toBody = ({ done, errors }: BulkResult) => ({ modified: done, ...toBulkFailures(errors) });

export const bulkTagMemories: Route = (app, { memories }) => {
  app.post(
    '/api/memories/bulk-tag',
    {
      schema: {
        operationId: 'bulkTagMemories',
        tags: ['Memories'],
        summary: 'Add and remove topics on up to 100 memories',
        description: 'Topics to remove go first. One memory that fails does not stop the others.',
        body: Body,
        response: {
          200: Type.Object(
            { modified: Type.Integer(), ...bulkFailures },
            { description: 'How many were changed, and what failed.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { ids, addTopics = [], removeTopics = [] } = request.body;
      if (addTopics.length === 0 && removeTopics.length === 0)
        throw invalidInput('addTopics or removeTopics', 'must name a topic');
      const act = keyedAct<BulkResult>(request, reply, 200, (done) => ({ body: toBody(done) }));
      const change = { add: addTopics, remove: removeTopics };
      return toBody(await memories.bulkTag(request.user, ids, change, act));
    },
  );
};
