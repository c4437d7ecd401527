import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import {
  ConversationSchema,
  conversationBytesMax,
  toConversationRecord,
} from '../../schemas/conversation.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { cutShort, fitRecords, TruncatedMetaSchema } from '../../schemas/pagination.ts';
import { limitField } from '../../schemas/query.ts';
import { topicIdField } from '../../schemas/topic.ts';

const Body = Type.Object(
  { topicId: topicIdField('The topic'), limit: limitField },
  { examples: [{ topicId: 'deploys' }] },
);

export const findConversationsByTopic: Route = (app, { topics }) => {
  app.post(
    '/api/conversations/by-topic',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'findConversationsByTopic',
        tags: ['Conversations', 'Topics'],
        summary: 'Find conversations by topic',
        description: 'Those with the most memories of the topic first, then the last active.',
        body: Body,
        response: {
          200: Type.Object(
            {
              data: Type.Array(ConversationSchema),
              count: Type.Integer({ description: 'All with memories of the topic, not only those given.' }),
              metadata: Type.Object({
                topicId: Type.String({ description: 'Id of the topic that was named.' }),
              }),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The conversations with memories of the topic.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const limit = Math.min(body.limit ?? pageLimitDefault, pageLimitMax);
      const { topic, conversations, total } = await topics.conversations(user, body.topicId, limit);
      const records = conversations.map(toConversationRecord);
      const { data, isFull } = fitRecords(records, conversationBytesMax);
      return { data, count: total, metadata: { topicId: topic.id }, ...cutShort(isFull) };
    },
  );
};
