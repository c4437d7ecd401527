import type { Narrative } from '../../../domain/narratives/narrative.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
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
        summary: 'Delete a thread; its memories stay',
        params: idParams,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params, headers }, reply) => {
      const isSeen = ifMatch(headers, (narrative: Narrative) => toNarrativeRecord(narrative, user));
      await narratives.delete(user, params.id, isSeen);
      return reply.code(204).send(null);
    },
  );
};
