import { pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { limitUpTo } from '../../schemas/query.ts';
import { TopicSchema, topicIdField, toTopicRecord } from '../../schemas/topic.ts';

const limitDefault = 10;
const thresholdDefault = 0.1;

const Body = Type.Object(
  {
    topicId: topicIdField('The topic'),
    threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Least similarity, ${thresholdDefault} by default; 0.5 is plausibly related.`,
      }),
    ),
    limit: limitUpTo(pageLimitMax, limitDefault),
  },
  { examples: [{ topicId: 'deploys', limit: 5 }] },
);

const SimilarSchema = Type.Object(
  {
    topic: TopicSchema,
    similarity: Type.Number({ description: 'Of the names, 0-1.' }),
    similarityScore: Type.Number({ description: 'The same, as other clients name it.' }),
  },
  component('SimilarTopic'),
);

export const findSimilarTopics: Route = (app, { topics, search }) => {
  app.post(
    '/api/topics/similar',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'findSimilarTopics',
        tags: ['Topics', 'Search'],
        summary: 'Find topics with similar names',
        description: 'By the semantic similarity of their names, nearest first.',
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(SimilarSchema) },
            { description: 'The topics with their similarity.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body: { topicId, threshold = thresholdDefault, limit = limitDefault } }) => {
      const topic = await topics.get(user, topicId);
      const request = { threshold, limit };
      const similar = await search.similarTopics(user, topic, request);
      const data = similar.map((found) => ({
        topic: toTopicRecord(found.topic),
        similarity: found.similarity,
        similarityScore: found.similarity,
      }));
      return { data };
    },
  );
};
