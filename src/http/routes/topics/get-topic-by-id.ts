import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../../schemas/topic.ts';

export const getTopicById: Route = (app, { topics }) => {
  app.get(
    '/api/topics/:id',
    {
      schema: {
        operationId: 'getTopicById',
        tags: ['Topics'],
        summary: 'Get a topic',
        description: 'By its id, its name or the name of a topic that was merged into it.',
        params: idParams,
        response: { 200: dataOf(TopicSchema, 'The topic.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toTopicRecord(await topics.get(user, params.id));
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
