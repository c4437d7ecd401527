import { pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { limitUpTo } from '../../schemas/query.ts';

const limitDefault = 10;

const Body = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 4000 }),
    limit: limitUpTo(pageLimitMax, limitDefault),
  },
  { examples: [{ query: 'How do we deploy?', limit: 3 }] },
);

const CommunityHitSchema = Type.Object(
  {
    communityId: Type.String(),
    communityName: Type.String(),
    answer: Type.String({
      description: 'Sentences of its memory that the search found first, as they stand.',
    }),
    confidence: Type.Number({
      description: 'Share of the scores of all memories found that those of the community have, 0-1.',
    }),
    topicCount: Type.Integer(),
    sources: Type.Array(Type.String(), { description: 'Ids of its memories, the best first, at most 5.' }),
  },
  component('CommunityAnswer'),
);

export const queryCommunities: Route = (app, { graphRag }) => {
  app.post(
    '/api/graphrag/query-communities',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'queryCommunities',
        tags: ['GraphRAG'],
        summary: 'Find the communities of topics that answer a query',
        description:
          'Communities whose topics are on the memories that a search finds. Where none were detected yet, they are first.',
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(CommunityHitSchema) },
            { description: 'The communities, best first.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body: { query, limit = limitDefault } }) => {
      const found = await graphRag.queryCommunities(user, { query, limit });
      const data = found.map(({ community, answer, memories, confidence }) => ({
        communityId: community.id,
        communityName: community.name,
        answer,
        confidence,
        topicCount: community.topicCount,
        sources: memories.map(({ id }) => id),
      }));
      return { data };
    },
  );
};
