import { effectiveStates } from '../../../domain/memories/memory.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';

const shownMax = 1000;

export const repairEffectiveState: Route = (app, { relationships }) => {
  app.post(
    '/api/memories/repair-effective-state',
    {
      schema: {
        operationId: 'repairEffectiveState',
        tags: ['Relationships'],
        summary: 'Compute all states anew from the relationships, and say which were wrong',
        response: {
          200: Type.Object({
            repaired: Type.Integer(),
            memories: Type.Array(
              Type.Object({ memoryId: Type.String(), previousState: oneOf(effectiveStates) }),
              { description: `At most ${shownMax.toLocaleString('en')} of them.` },
            ),
          }),
          ...errorResponses,
        },
      },
    },
    async ({ user }) => {
      const repaired = await relationships.repairStates(user);
      return { repaired: repaired.length, memories: repaired.slice(0, shownMax) };
    },
  );
};
