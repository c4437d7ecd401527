import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { conversationParams } from './conversation-params.ts';

export const deleteConversation: Route = (app, { conversations }) => {
  app.delete(
    '/api/conversations/:conversationId',
    {
      schema: {
        operationId: 'deleteConversation',
        tags: ['Conversations'],
        summary: 'Delete a conversation and the memories in it',
        params: conversationParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await conversations.delete(user, params.conversationId);
      return reply.code(204).send(null);
    },
  );
};
