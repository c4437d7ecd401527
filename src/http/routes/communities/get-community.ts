import { type Route, Type } from '../../route-plugin.ts';
import { CommunitySchema, toCommunityRecord } from '../../schemas/community.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { idParams } from '../../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../../schemas/topic.ts';

const CommunityWithTopicsSchema = Type.Object(
  {
    ...CommunitySchema.properties,
    topics: Type.Array(TopicSchema, { description: 'The strongest first, at most 1,000.' }),
  },
  component('CommunityWithTopics'),
);

export const getCommunity: Route = (app, { communities }) => {
  app.get(
    '/api/topics/communities/:id',
    {
      schema: {
        operationId: 'getCommunity',
        tags: ['Topics'],
        summary: 'Get a community of topics',
        description: 'With its topics; by its id or that of a community merged into it.',
        params: idParams,
        response: { 200: dataOf(CommunityWithTopicsSchema, 'The community.'), ...errorResponses },
      },
    },
    async ({ user, params }) => {
      const { community, topics } = await communities.get(user, params.id);
      return { data: { ...toCommunityRecord(community), topics: topics.map(toTopicRecord) } };
    },
  );
};
