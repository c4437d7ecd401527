import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';

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
        summary: 'Take a memory out of a thread; the memory itself stays',
        params: Params,
        response: { 204: Type.Null(), ...errorResponses },
      },
    },
    async ({ user, params }, reply) => {
      await narratives.removeMemory(user, params.id, params.memoryId);
      return reply.code(204).send(null);
    },
  );
};
