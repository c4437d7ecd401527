import type { CreatedMemory } from '../../../domain/memories/create-memory.ts';
import { sessionKeyLengthMax } from '../../../domain/memories/limits.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { MemorySchema, toMemoryRecord } from '../../schemas/memory.ts';
import {
  contentField,
  nameField,
  statedFields,
  timeFields,
  toMemoryInput,
} from '../../schemas/memory-body.ts';

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
    ...statedFields,
    ...timeFields,
  },
  { examples: [{ content: 'Deploys run from the main branch only.', topics: ['deploys'] }] },
);

const Meta = Type.Object({
  conversationId: Type.String(),
  sessionId: Type.String(),
  sessionCreated: Type.Boolean({ description: 'False when the memory continues a session of 90 minutes.' }),
  conversationCreated: Type.Boolean(),
});

const toResponse = ({ memory, place }: CreatedMemory) => ({
  body: { data: toMemoryRecord(memory), meta: place },
  etag: etagOf(memory),
});

export const createMemory: Route = (app, { memories }) => {
  app.post(
    '/api/memories',
    {
      schema: {
        operationId: 'createMemory',
        tags: ['Memories'],
        summary: 'Store a memory; it is findable when the answer is sent',
        body: Body,
        response: { 201: Type.Object({ data: MemorySchema, meta: Meta }), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const created = await memories.create(
        user,
        { ...toMemoryInput(body), content: body.content },
        { conversationId: body.conversationId, agentSessionId: body.agentSessionId ?? body.claudeSessionId },
        keyedAct(request, reply, 201, toResponse),
      );
      const { body: made, etag } = toResponse(created);
      return reply.code(201).header('ETag', etag).send(made);
    },
  );
};
