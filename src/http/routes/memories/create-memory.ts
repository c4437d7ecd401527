import type { CreatedMemory } from '../../../domain/memories/create-memory.ts';
import { externalIdLengthMax, sessionKeyLengthMax } from '../../../domain/memories/limits.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { looksSecret, secretStored } from '../../../lib/hide-secrets.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  contentField,
  nameField,
  statedFields,
  timeFields,
  toMemoryInput,
} from '../../schemas/memory-body.ts';
import { timeText } from '../../schemas/query.ts';

const sessionKey = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: sessionKeyLengthMax, description }));

const Body = Type.Object(
  {
    content: contentField,
    conversationId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'NEW makes a conversation, an id appends to it; absent: by agent session, else the newest ' +
          'conversation made so if its last memory is at most 90 minutes old, else a new one.',
      }),
    ),
    agentSessionId: sessionKey('Groups memories by agent session; ignored when conversationId is given.'),
    claudeSessionId: sessionKey('Another name of agentSessionId.'),
    name: Type.Optional(nameField),
    externalId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: externalIdLengthMax,
        description:
          'What another system calls the memory, unique per user. Where one has it already, nothing is written, and ' +
          'that one is the response, unchanged, with status 200 and meta.existing; in the trash: 409.',
      }),
    ),
    createdAt: Type.Optional(
      timeText(
        'When it was written elsewhere, for imports; not in the future. Orders, lists and filters go by it; asOfTime ' +
          'goes by when it came to this service, which updatedAt says.',
      ),
    ),
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Deploys run from the main branch only.', topics: ['deploys', 'release'] }] },
);

const Meta = Type.Object({
  conversationId: Type.String(),
  sessionId: Type.String(),
  sessionCreated: Type.Boolean({ description: 'False when the memory continues a session of 90 minutes.' }),
  conversationCreated: Type.Boolean(),
  existing: Type.Optional(
    Type.Boolean({ description: 'True where a memory with the externalId was there before.' }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Of what was stored, such as that the content looks like it has a key or a password.',
    }),
  ),
});

const Response = Type.Object({ data: MemorySchema, meta: Meta });

function toMeta({ memory, place, isExisting }: CreatedMemory) {
  if (isExisting) return { ...place, existing: true };
  return looksSecret(memory.content) ? { ...place, warnings: [secretStored] } : place;
}

const toResponse = (created: CreatedMemory) => ({
  status: created.isExisting ? (200 as const) : (201 as const),
  body: { data: toMemoryRecord(created.memory), meta: toMeta(created) },
  etag: etagOf(created.memory),
});

export const createMemory: Route = (app, { memories }) => {
  app.post(
    '/api/memories',
    {
      schema: {
        operationId: 'createMemory',
        tags: ['Memories'],
        summary: 'Store a memory',
        description:
          'A search that starts after the response finds it by its words; vectors follow in the background ' +
          'unless the bundled model is used. Without `conversationId` the memory joins the conversation of its ' +
          'agent session, or the newest one that is at most 90 minutes old. A second create with the same ' +
          '`externalId` writes nothing and returns the first.',
        body: Body,
        response: {
          200: described(Response, 'The memory that has this `externalId` already, unchanged.'),
          201: described(Response, 'The memory as it was stored.'),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const created = await memories.create(
        user,
        { ...toMemoryInput(body), content: body.content },
        {
          conversationId: body.conversationId,
          agentSessionId: body.agentSessionId ?? body.claudeSessionId,
          externalId: body.externalId,
          createdAt: body.createdAt === undefined ? undefined : parseTime(body.createdAt, 'createdAt'),
        },
        keyedAct(request, reply, 201, toResponse),
      );
      const { status, body: made, etag } = toResponse(created);
      return reply.code(status).header('ETag', etag).send(made);
    },
  );
};
