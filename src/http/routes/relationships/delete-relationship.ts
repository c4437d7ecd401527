import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';

export const deleteRelationship: Route = (app, { relationships }) => {
  app.delete(
    '/api/memories/:id/relationships/:relationshipId',
    {
      schema: {
        operationId: 'deleteMemoryRelationship',
        tags: ['Relationships'],
        summary: 'Remove a relationship',
        description:
          'States follow at once. Searches with `asOfTime` still know it for the time when it was there. ' +
          'One that was found in the texts does not come back.',
        params: Type.Object({
          id: Type.String({ maxLength: 500 }),
          relationshipId: Type.String({ maxLength: 500 }),
        }),
        response: { 204: noContent('Removed.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await relationships.delete(user, params.id, params.relationshipId);
      return reply.code(204).send(null);
    },
  );
};
