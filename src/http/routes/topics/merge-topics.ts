import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { TopicSchema, topicIdField, toTopicRecord } from '../../schemas/topic.ts';

const Body = Type.Object(
  {
    sourceTopicId: topicIdField('The topic to merge, which becomes an alias'),
    targetTopicId: topicIdField('The topic that stays'),
  },
  { examples: [{ sourceTopicId: sampleIds.otherTopic, targetTopicId: sampleIds.topic }] },
);

export const mergeTopics: Route = (app, { topics, topicMerges }) => {
  app.post(
    '/api/topics/merge',
    {
      schema: {
        operationId: 'mergeTopics',
        tags: ['Topics'],
        summary: 'Move the memories of one topic to another; the old name then means the other',
        body: Body,
        response: { 200: dataOf(TopicSchema), ...errorResponses },
      },
    },
    async ({ user, body: { sourceTopicId, targetTopicId } }) => {
      const { target } = await topicMerges.merge(user, sourceTopicId, targetTopicId);
      return { data: toTopicRecord(await topics.get(user, target.id)) };
    },
  );
};
