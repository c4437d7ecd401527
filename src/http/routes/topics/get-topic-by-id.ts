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
        summary: 'One topic, by its id or its name',
        params: idParams,
        response: { 200: dataOf(TopicSchema), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toTopicRecord(await topics.get(user, params.id));
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
