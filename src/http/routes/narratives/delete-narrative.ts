import type { Narrative } from '../../../domain/narratives/narrative.ts';
import type { Route } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';
import { ifMatch } from '../../schemas/if-match.ts';
import { toNarrativeRecord } from '../../schemas/narrative.ts';
import { idParams } from '../../schemas/query.ts';

export const deleteNarrative: Route = (app, { narratives }) => {
  app.delete(
    '/api/narratives/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'deleteNarrative',
        tags: ['Narratives'],
        summary: 'Delete a narrative',
        description: 'Its memories stay. The thread goes to the trash, from which it can be restored.',
        params: idParams,
        response: { 204: noContent('Deleted; it is in the trash.'), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (narrative: Narrative) => toNarrativeRecord(narrative, user));
      await narratives.delete(user, params.id, isSeen);
      return reply.code(204).send(null);
    },
  );
};
