import { summaryLengthMax, titleLengthMax } from '../../../domain/conversations/conversation.ts';
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

export const createConversation: Route = (app, { conversations }) => {
  app.post(
    '/api/conversations',
    {
      schema: {
        operationId: 'createConversation',
        tags: ['Conversations'],
        summary: 'Make an empty conversation',
        body: Body,
        response: { 201: dataOf(ConversationSchema), ...errorResponses },
      },
    },
    async ({ user, body }, reply) => {
      const conversation = await conversations.create(user, body);
      const data = toConversationRecord(conversation);
      return reply.code(201).header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
