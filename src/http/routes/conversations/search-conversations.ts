import { invalidInput } from '../../../domain/shared/errors.ts';
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

const Body = Type.Object(
  { query: Type.String({ minLength: 1, maxLength: 2000 }), limit: limitField },
  { examples: [{ query: 'release planning' }] },
);

export const searchConversations: Route = (app, { search }) => {
  app.post(
    '/api/conversations/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchConversations',
        tags: ['Conversations', 'Search'],
        summary: 'Search conversations',
        description: 'Semantic and keyword search over titles, summaries and memories; best match first.',
        body: Body,
        response: {
          200: Type.Object(
            {
              data: Type.Array(ConversationSchema),
              count: Type.Integer({ description: 'All that match, not only those given.' }),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'The conversations that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      if (body.query.trim() === '') throw invalidInput('query', 'must not be blank');
      const limit = Math.min(body.limit ?? pageLimitDefault, pageLimitMax);
      const { hits, total } = await search.conversations(user, body.query, limit);
      const records = hits.map(({ conversation }) => toConversationRecord(conversation));
      const { data, isFull } = fitRecords(records, conversationBytesMax);
      return { data, count: total, ...cutShort(isFull) };
    },
  );
};
