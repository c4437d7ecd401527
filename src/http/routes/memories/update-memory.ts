import { namePattern, nameRule } from '../../../domain/memories/limits.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOf, expectedRevs } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { contentField, statedFields, timeFields, toMemoryInput } from '../../schemas/memory-body.ts';
import { idParams } from '../../schemas/query.ts';

const Body = Type.Object(
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

export const updateMemory: Route = (app, { memories }) => {
  app.put(
    '/api/memories/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateMemory',
        tags: ['Memories'],
        summary: 'Change a memory',
        description:
          'Changes what the body names and nothing else. The text before stays known for searches with ' +
          '`asOfTime`. With If-Match, 412 where the memory has changed since.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(MemorySchema, 'The memory as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const input = toMemoryInput(body);
      const memory = await memories.update(user, params.id, input, expectedRevs(headers['if-match']));
      return reply.header('ETag', etagOf(memory)).send({ data: toMemoryRecord(memory) });
    },
  );
};
