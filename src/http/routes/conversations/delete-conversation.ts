import { type Route, Type } from '../../route-plugin.ts';
import { toConversationRecord } from '../../schemas/conversation.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { ifMatch } from '../../schemas/if-match.ts';
import { conversationParams } from './conversation-params.ts';

export const deleteConversation: Route = (app, { conversations }) => {
  app.delete(
    '/api/conversations/:conversationId',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteConversation',
        tags: ['Conversations'],
        summary: 'Delete a conversation and the memories in it',
        params: conversationParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      await conversations.delete(user, params.conversationId, ifMatch(headers, toConversationRecord));
      return reply.code(204).send(null);
    },
  );
};
