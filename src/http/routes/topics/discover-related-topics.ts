import { relatedHows } from '../../../domain/graph/related-by-graph.ts';
import { pageLimitMax } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { limitUpTo, oneOf } from '../../schemas/query.ts';
import { TopicSchema, topicIdField, toTopicRecord } from '../../schemas/topic.ts';

const limitDefault = 10;

const Body = Type.Object(
  {
    topicId: topicIdField('The topic'),
    limit: limitUpTo(pageLimitMax, limitDefault),
  },
  { examples: [{ topicId: 'deploys', limit: 5 }] },
);

const RelatedSchema = Type.Object(
  {
    ...TopicSchema.properties,
    relationshipType: oneOf(relatedHows, {
      description:
        'co-occurrence: a memory has both; shared-entity, shared-fact, linked-memories: memories of both name the same ' +
        'entity, say the same or are related; indirect: further apart.',
    }),
    strength: Type.Number({ description: 'Its PageRank by that of the strongest, 0-1.' }),
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
        summary: 'Find related topics',
        description:
          'Topics near this one in the graph of memories, topics, entities and facts, by Personalised PageRank (Haveliwala ' +
          '2002, as HippoRAG 2 uses it), strongest first.',
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(RelatedSchema) },
            { description: 'The topics, with how they are related and how strongly.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const related = await topics.related(user, body.topicId, body.limit ?? limitDefault);
      const data = related.map(({ topic, how, strength }) => ({
        ...toTopicRecord(topic),
        relationshipType: how,
        strength,
      }));
      return { data };
    },
  );
};
