import { appendSeparatorLengthMax, contentLengthMax } from '../../../domain/memories/limits.ts';
import type { NewVersion } from '../../../domain/memories/named-memory.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import { statedFields, timeFields, toMemoryInput } from '../../schemas/memory-body.ts';
import { nameParams } from '../../schemas/query.ts';

const blankLine = '\n\n';

const Body = Type.Object(
  {
    block: Type.String({
      minLength: 1,
      maxLength: contentLengthMax,
      description: 'Text to add after what is there.',
    }),
    separator: Type.Optional(
      Type.String({
        maxLength: appendSeparatorLengthMax,
        default: blankLine,
        description: 'Between what is there and the block; a blank line by default.',
      }),
    ),
    conversationId: Type.Optional(
      Type.String({ minLength: 1, description: 'As on create; absent: that of the version before.' }),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ block: 'Thursday: the build is green again.' }] },
);

const Response = Type.Object({
  data: MemorySchema,
  meta: Type.Object({ previousVersionId: Type.String(), version: Type.Integer() }),
});

const toResponse = ({ memory, previousVersionId, version }: NewVersion) => ({
  body: { data: toMemoryRecord(memory), meta: { previousVersionId, version } },
  etag: etagOf(memory),
});

export const appendNamedMemory: Route = (app, { memories }) => {
  app.post(
    '/api/memories/named/:name/append',
    {
      schema: {
        operationId: 'appendNamedMemory',
        tags: ['Memories'],
        summary: 'Add text to a named memory',
        description:
          'Makes a new version whose text is that of the newest one, the separator and the block. Appends at the same ' +
          'time are done one after the other: none is lost. What the body leaves out is as in a PUT of a new version. ' +
          'Where the text would be longer than 50,000 characters: 413, and nothing is written.',
        params: nameParams,
        body: Body,
        response: {
          201: described(Response, 'The new version with its whole text, and the id of the one before.'),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const { block, separator = blankLine, conversationId } = body;
      const { name: _, content: __, ...input } = toMemoryInput(body);
      const added = await memories.append(
        user,
        params.name,
        { ...input, block, separator, conversationId },
        keyedAct(request, reply, 201, toResponse),
      );
      const { body: made, etag } = toResponse(added);
      return reply.code(201).header('ETag', etag).send(made);
    },
  );
};
