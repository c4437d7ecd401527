import type { Route } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import { NarrativeSchema, toNarrativeRecord } from '../../schemas/narrative.ts';
import { idParams } from '../../schemas/query.ts';

export const getNarrative: Route = (app, { narratives }) => {
  app.get(
    '/api/narratives/:id',
    {
      schema: {
        operationId: 'getNarrative',
        tags: ['Narratives'],
        summary: 'Get a narrative',
        description: 'With the changes of its state, the latest 100.',
        params: idParams,
        response: { 200: dataOf(NarrativeSchema, 'The narrative.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      const data = toNarrativeRecord(await narratives.get(user, params.id), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
