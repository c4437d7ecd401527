import { factSorts } from '../../../domain/facts/fact.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { FactSchema, toFactRecord } from '../../schemas/fact.ts';
import { goesOn, toListPage } from '../../schemas/pagination.ts';
import { cursorQuery, oneOf, recordId, sortDirection } from '../../schemas/query.ts';

const Query = Type.Object({
  ...cursorQuery,
  memoryId: Type.Optional(recordId('Only facts drawn from this memory.')),
  sortBy: Type.Optional(oneOf(factSorts, { default: 'createdAt' })),
  order: Type.Optional(sortDirection),
});

export const listFacts: Route = (app, { facts }) => {
  app.get(
    '/api/facts',
    {
      schema: {
        operationId: 'listFacts',
        tags: ['Facts'],
        summary: 'List facts',
        description: 'Newest first, or highest confidence first with `sortBy=confidence`.',
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(FactSchema),
              count: Type.Integer({ description: 'All that match, not only those on this page.' }),
              pagination: Type.Optional(Type.Ref('Pagination')),
            },
            { description: 'One page of facts, and the number of all that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { memoryId, sortBy = 'createdAt', order = 'desc' } = query;
      const page = await facts.list(user, { ...toListPage(request), memoryId, sortBy, order });
      return {
        data: page.items.map((fact) => toFactRecord(fact, user)),
        count: page.count,
        ...goesOn(page, request),
      };
    },
  );
};
