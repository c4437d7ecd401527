import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, oneOf, sortDirection } from '../../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../../schemas/topic.ts';

const Query = Type.Object({
  ...cursorQuery,
  sortBy: Type.Optional(oneOf(['name', 'memoryCount'], { default: 'name' })),
  order: Type.Optional(sortDirection),
});

export const listTopics: Route = (app, { topics }) => {
  app.get(
    '/api/topics',
    {
      schema: {
        operationId: 'listTopics',
        tags: ['Topics'],
        summary: 'List topics',
        description: 'By name, or by the number of memories that carry them (most first).',
        querystring: Query,
        response: {
          200: Type.Object(
            { data: Type.Array(TopicSchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of topics, and the number of all.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { sortBy = 'name', order = sortBy === 'name' ? 'asc' : 'desc' } = query;
      const page = await topics.list(user, { ...toListPage(request), sortBy, order });
      return { data: page.items.map(toTopicRecord), pagination: toPagination(page, request) };
    },
  );
};
