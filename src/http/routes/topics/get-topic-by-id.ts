import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
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
    async ({ user, params }) => ({ data: toTopicRecord(await topics.get(user, params.id)) }),
  );
};
