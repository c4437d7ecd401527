import { pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { TopicSchema, topicIdField, toTopicRecord } from '../../schemas/topic.ts';

const limitDefault = 10;

const Body = Type.Object(
  {
    topicId: topicIdField('The topic'),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: `${limitDefault} by default.` })),
  },
  { examples: [{ topicId: 'deploys', limit: 5 }] },
);

const RelatedSchema = Type.Object(
  {
    ...TopicSchema.properties,
    relationshipType: Type.String({ description: 'co-occurrence: both are topics of the same memories.' }),
    strength: Type.Number({ description: 'Memories with both, of those with either: 0-1.' }),
  },
  component('RelatedTopic'),
);

export const discoverRelatedTopics: Route = (app, { topics }) => {
  app.post(
    '/api/topics/discover-related',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'discoverRelatedTopics',
        tags: ['Topics'],
        summary: 'Find co-occurring topics',
        description: 'Topics on the same memories as this one, strongest first.',
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(RelatedSchema) },
            { description: 'The topics, with the share of memories that have both.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const related = await topics.related(
        user,
        body.topicId,
        Math.min(body.limit ?? limitDefault, pageLimitMax),
      );
      const data = related.map(({ topic, strength }) => ({
        ...toTopicRecord(topic),
        relationshipType: 'co-occurrence',
        strength,
      }));
      return { data };
    },
  );
};
