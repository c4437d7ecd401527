import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';

export const deleteRelationship: Route = (app, { relationships }) => {
  app.delete(
    '/api/memories/:id/relationships/:relationshipId',
    {
      schema: {
        operationId: 'deleteMemoryRelationship',
        tags: ['Relationships'],
        summary: 'Take a relationship away; what was known before stays known as of then',
        params: Type.Object({
          id: Type.String({ maxLength: 500 }),
          relationshipId: Type.String({ maxLength: 500 }),
        }),
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await relationships.delete(user, params.id, params.relationshipId);
      return reply.code(204).send(null);
    },
  );
};
