import type { Fact } from '../../../domain/facts/fact.ts';
import type { Route } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { toFactRecord } from '../../schemas/fact.ts';
import { ifMatch } from '../../schemas/if-match.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteFact: Route = (app, { facts }) => {
  app.delete(
    '/api/facts/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteFact',
        tags: ['Facts'],
        summary: 'Delete a fact',
        description: 'It goes to the trash, from which it can be restored.',
        params: idParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (fact: Fact) => toFactRecord(fact, user));
      await facts.delete(user, params.id, isSeen);
      return reply.code(204).send(null);
    },
  );
};
