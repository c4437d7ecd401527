import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { etagOf, expectedRevs } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { contentField, statedFields, timeFields, toMemoryInput } from '../../schemas/memory-body.ts';
import { nameParams } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    content: contentField,
    conversationId: Type.Optional(
      Type.String({ minLength: 1, description: 'As on create; absent: that of the version before.' }),
    ),
    expectedHeadId: Type.Optional(
      Type.String({
        description: 'Compare and swap: 409 with details.currentHeadId when another is the head.',
      }),
    ),
    supersedes: Type.Optional(Type.String({ description: 'A further memory that this one supersedes.' })),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Release on Thursday instead.' }] },
);

const Meta = Type.Object({ previousVersionId: Type.String(), version: Type.Integer() });

export const updateNamedMemory: Route = (app, { memories }) => {
  app.put(
    '/api/memories/named/:name',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateNamedMemory',
        tags: ['Memories'],
        summary: 'Add a version to a named memory',
        description:
          'Topics, memoryType, context and the like are taken over from the version before; eventTime, validFrom and ' +
          'validTo are not, for they say when the statement before was true.',
        params: nameParams,
        body: Body,
        response: {
          201: Type.Object(
            { data: MemorySchema, meta: Meta },
            { description: 'The new version, and the id of the one before.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { content, conversationId, expectedHeadId, supersedes } = body;
      const { name: _, ...input } = toMemoryInput(body);
      const added = await memories.addVersion(
        user,
        params.name,
        { ...input, content, conversationId, expectedHeadId, supersedes },
        expectedRevs(headers['if-match']),
      );
      const { memory, previousVersionId, version } = added;
      reply.header('ETag', etagOf(memory));
      return reply.code(201).send({ data: toMemoryRecord(memory), meta: { previousVersionId, version } });
    },
  );
};
