import { invalidInput } from '../../../domain/shared/errors.ts';
import { pageLimitDefault, pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { FactSchema, toFactRecord } from '../../schemas/fact.ts';
import { limitField, oneOf } from '../../schemas/query.ts';

const Body = Type.Object(
  { query: Type.String({ minLength: 1, maxLength: 2000 }), limit: limitField },
  { examples: [{ query: 'where do deploys run from' }] },
);

export const searchFacts: Route = (app, { search }) => {
  app.post(
    '/api/facts/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchFacts',
        tags: ['Facts', 'Search'],
        summary: 'Search facts',
        description: 'Semantic and keyword search over subject, predicate and object; best match first.',
        body: Body,
        response: {
          200: Type.Object(
            {
              data: Type.Array(FactSchema),
              count: Type.Integer({ description: 'All that match, not only those given.' }),
              metadata: Type.Object({
                query: Type.String({ description: 'As it was sent.' }),
                searchMethod: oneOf(['hybrid', 'keyword'], { description: 'The search method used.' }),
              }),
            },
            { description: 'The facts that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body: { query, limit = pageLimitDefault } }) => {
      if (query.trim() === '') throw invalidInput('query', 'must not be blank');
      const { facts, total, method } = await search.facts(user, query, Math.min(limit, pageLimitMax));
      return {
        data: facts.map((fact) => toFactRecord(fact, user)),
        count: total,
        metadata: { query, searchMethod: method },
      };
    },
  );
};
