import { jsonBytesMax } from '../../../domain/memories/json-bytes.ts';
import { bulkIdsMax } from '../../../domain/memories/limits.ts';
import { isStorable } from '../../../domain/shared/storable-text.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { DetailedMemorySchema, detailField } from '../../schemas/memory-detail.ts';
import { fitRecords, truncatedFields } from '../../schemas/pagination.ts';
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

export const getMemoriesBatch: Route = (app, services) => {
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
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(DetailedMemorySchema), meta: Meta },
            { description: 'The memories found, and the ids of those that are not there.' },
          ),
          ...errorResponses,
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
};
