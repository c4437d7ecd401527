import {
  type Conversation,
  summaryLengthMax,
  titleLengthMax,
} from '../../../domain/conversations/conversation.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { ConversationSchema, toConversationRecord } from '../../schemas/conversation.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';

const Body = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: titleLengthMax }),
    summary: Type.Optional(Type.String({ maxLength: summaryLengthMax })),
  },
  { examples: [{ title: 'Release 2 planning' }] },
);

const toResponse = (conversation: Conversation) => {
  const data = toConversationRecord(conversation);
  return { body: { data }, etag: etagOfRecord(data) };
};

export const createConversation: Route = (app, { conversations }) => {
  app.post(
    '/api/conversations',
    {
      schema: {
        operationId: 'createConversation',
        tags: ['Conversations'],
        summary: 'Create an empty conversation',
        description:
          'Memories join it by their `conversationId`. Memories that name none make or find a conversation by ' +
          'themselves.',
        body: Body,
        response: { 201: dataOf(ConversationSchema, 'The conversation.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const act = keyedAct(request, reply, 201, toResponse);
      const { body, etag } = toResponse(await conversations.create(request.user, request.body, act));
      return reply.code(201).header('ETag', etag).send(body);
    },
  );
};
