import { bulkIdsMax } from '../../../domain/memories/limits.ts';
import { isStorable } from '../../plugins/text-rules.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { DetailedMemorySchema, detailField } from '../../schemas/memory-detail.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { loadDetails } from './detail/load-details.ts';

const Body = Type.Object(
  {
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: bulkIdsMax }),
    detail: detailField('minimal'),
  },
  { examples: [{ ids: [sampleIds.memory, sampleIds.otherMemory], detail: 'minimal' }] },
);

const Meta = Type.Object({
  requested: Type.Integer({ description: 'Ids sent, repetitions included.' }),
  found: Type.Integer(),
  missing: Type.Array(Type.String(), {
    description: 'Ids of no memory, malformed ones included, each once.',
  }),
});

export const getMemoriesBatch: Route = (app, services) => {
  app.post(
    '/api/memories/batch',
    {
      config: { scope: 'read', textsRead: ['ids'] },
      schema: {
        operationId: 'getMemoriesBatch',
        tags: ['Memories'],
        summary: 'Several memories in the order of their ids, each once',
        body: Body,
        response: {
          200: Type.Object({ data: Type.Array(DetailedMemorySchema), meta: Meta }),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const ids = [...new Set(body.ids)];
      const memories = await services.memories.findMany(user, ids.filter(isStorable));
      const found = new Set(memories.map(({ id }) => id));
      const data = await loadDetails(services, user, { memories, detail: body.detail ?? 'minimal' });
      const missing = ids.filter((id) => !found.has(id));
      return { data, meta: { requested: body.ids.length, found: memories.length, missing } };
    },
  );
};
