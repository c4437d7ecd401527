import type { BulkResult } from '../../../domain/memories/bulk-memories.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { keyedAct } from '../../keyed-act.ts';
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

const toBody = ({ done, errors }: BulkResult) => ({ modified: done, ...toBulkFailures(errors) });

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
