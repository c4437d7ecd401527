import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { topicIdField } from '../../schemas/topic.ts';

const Body = Type.Object(
  { topicId1: topicIdField('A topic'), topicId2: topicIdField('Another one') },
  { examples: [{ topicId1: 'deploys', topicId2: 'release' }] },
);

const SimilaritySchema = Type.Object(
  {
    similarity: Type.Number({ description: '0-1; 0.5 is plausibly related, 1 the same topic.' }),
  },
  component('TopicSimilarity'),
);

export const calculateTopicSimilarity: Route = (app, { topics, search }) => {
  app.post(
    '/api/topics/similarity',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'calculateTopicSimilarity',
        tags: ['Topics'],
        summary: 'Compare the names of two topics',
        description: 'Semantic similarity of the names; by their words where no model reads them.',
        body: Body,
        response: { 200: dataOf(SimilaritySchema, 'The similarity.'), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const first = await topics.get(user, body.topicId1);
      const second = await topics.get(user, body.topicId2);
      return { data: { similarity: await search.topicSimilarity(first, second) } };
    },
  );
};
