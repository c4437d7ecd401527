import { toPageRequest } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { pageQuery } from '../../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../../schemas/topic.ts';

const Body = Type.Object(
  { query: Type.String({ minLength: 1, maxLength: 2000 }), ...pageQuery },
  { examples: [{ query: 'deploy', limit: 10 }] },
);

const HitSchema = Type.Object(
  {
    ...TopicSchema.properties,
    score: Type.Number({ description: '0-1; 1 where a name or alias is what was asked for.' }),
  },
  component('TopicSearchResult'),
);

export const searchTopics: Route = (app, { search }) => {
  app.post(
    '/api/topics/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchTopics',
        tags: ['Topics', 'Search'],
        summary: 'Search topics',
        description:
          'Semantic and keyword search over names and aliases; best match first, 1 for the name itself.',
        body: Body,
        response: {
          200: Type.Object(
            {
              data: Type.Array(HitSchema),
              total: Type.Integer({ description: 'All matches, not only those on this page.' }),
              limit: Type.Integer(),
              offset: Type.Integer(),
            },
            { description: 'One page of topics with their scores.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const { items, count, limit, offset } = await search.topics(user, body.query, toPageRequest(body));
      const data = items.map(({ topic, score }) => ({ ...toTopicRecord(topic), score }));
      return { data, total: count, limit, offset };
    },
  );
};
