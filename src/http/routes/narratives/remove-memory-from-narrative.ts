import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses, noContent } from '../../schemas/envelope.ts';

const Params = Type.Object({
  id: Type.String({ maxLength: 500 }),
  memoryId: Type.String({ maxLength: 500 }),
});

export const removeMemoryFromNarrative: Route = (app, { narratives }) => {
  app.delete(
    '/api/narratives/:id/memories/:memoryId',
    {
      schema: {
        operationId: 'removeMemoryFromNarrative',
        tags: ['Narratives'],
        summary: 'Remove a memory from a narrative',
        description: 'The memory itself stays.',
        params: Params,
        response: { 204: noContent('Removed from the narrative.'), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await narratives.removeMemory(user, params.id, params.memoryId);
      return reply.code(204).send(null);
    },
  );
};
