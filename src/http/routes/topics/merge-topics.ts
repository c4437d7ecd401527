import type { Topic } from '../../../domain/topics/topic.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { TopicSchema, topicIdField, toTopicRecord } from '../../schemas/topic.ts';

const Body = Type.Object(
  {
    sourceTopicId: topicIdField('The topic to merge, which becomes an alias'),
    targetTopicId: topicIdField('The topic that stays'),
  },
  { examples: [{ sourceTopicId: 'release', targetTopicId: 'deploys' }] },
);

const toBody = (topic: Topic) => ({ data: toTopicRecord(topic) });

export const mergeTopics: Route = (app, { topicMerges }) => {
  app.post(
    '/api/topics/merge',
    {
      schema: {
        operationId: 'mergeTopics',
        tags: ['Topics'],
        summary: 'Merge two topics',
        description:
          'The memories of the source get the target; the name of the source then means the target. The merge is ' +
          'in the trash list and can be undone there.',
        body: Body,
        response: { 200: dataOf(TopicSchema, 'The topic that stays.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { sourceTopicId, targetTopicId } = request.body;
      const act = keyedAct<Topic>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await topicMerges.merge(request.user, sourceTopicId, targetTopicId, act));
    },
  );
};
