import { conversationSorts } from '../../../domain/conversations/conversation.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import {
  ConversationSchema,
  conversationBytesMax,
  toConversationRecord,
} from '../../schemas/conversation.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import {
  fitPage,
  TruncatedMetaSchema,
  toListPage,
  toPagination,
  truncatedMeta,
} from '../../schemas/pagination.ts';
import { cursorQuery, oneOf, sortDirection, timeText } from '../../schemas/query.ts';

const Query = Type.Object({
  ...cursorQuery,
  since: Type.Optional(timeText('Created after this time.')),
  minMemories: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'At least this many memories; 1 leaves out empty ones. Without it, conversations that were made for ' +
        'memories all of which are deleted are left out; 0 lists those too.',
    }),
  ),
  sortBy: Type.Optional(oneOf(conversationSorts, { default: 'lastActivityAt' })),
  order: Type.Optional(sortDirection),
});

export const listConversations: Route = (app, { conversations }) => {
  app.get(
    '/api/conversations',
    {
      schema: {
        operationId: 'listConversations',
        tags: ['Conversations'],
        summary: 'List conversations',
        description: 'The last active first unless `sortBy` and `order` say otherwise.',
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(ConversationSchema),
              pagination: Type.Ref('Pagination'),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of conversations, and the number of all that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { since, minMemories, sortBy = 'lastActivityAt', order = 'desc' } = query;
      const all = await conversations.list(user, {
        ...toListPage(request),
        since: since === undefined ? undefined : parseTime(since, 'since'),
        minMemories,
        sortBy,
        order,
      });
      const page = fitPage(all, conversationBytesMax);
      return {
        data: page.items.map(toConversationRecord),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );
};
