import { toPageRequest } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toPagination } from '../../schemas/pagination.ts';
import { PatternSchema, toPatternRecord } from '../../schemas/pattern.ts';
import { pageQuery } from '../../schemas/query.ts';

export const listPatterns: Route = (app, { patterns }) => {
  app.get(
    '/api/patterns',
    {
      schema: {
        operationId: 'listPatterns',
        tags: ['Patterns'],
        summary: 'List patterns',
        description:
          'What recurs in memories, as last compiled: the surest first. A pattern is listed while a live memory shows it, ' +
          'or once a person edited it.',
        querystring: Type.Object(pageQuery),
        response: {
          200: Type.Object(
            { data: Type.Array(PatternSchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of patterns, and the number of all.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, query }) => {
      const page = await patterns.list(user, toPageRequest(query));
      return { data: page.items.map(toPatternRecord), pagination: toPagination(page) };
    },
  );
};
