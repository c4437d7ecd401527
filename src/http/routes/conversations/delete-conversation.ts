import type { Route } from '../../route-plugin.ts';
import { toConversationRecord } from '../../schemas/conversation.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
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
        summary: 'Delete a conversation with its memories',
        description: 'All of it goes to the trash as one entry and is restored as one.',
        params: conversationParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      await conversations.delete(user, params.conversationId, ifMatch(headers, toConversationRecord));
      return reply.code(204).send(null);
    },
  );
};
