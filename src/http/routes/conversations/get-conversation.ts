import type { Route } from '../../route-plugin.ts';
import { ConversationSchema, toConversationRecord } from '../../schemas/conversation.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import { conversationParams } from './conversation-params.ts';

export const getConversation: Route = (app, { conversations }) => {
  app.get(
    '/api/conversations/:conversationId',
    {
      schema: {
        operationId: 'getConversation',
        tags: ['Conversations'],
        summary: 'Get a conversation',
        description: 'Its title, summary and counts; the timeline lists its memories.',
        params: conversationParams,
        response: { 200: dataOf(ConversationSchema, 'The conversation.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toConversationRecord(await conversations.get(user, params.conversationId));
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
