import { effectiveStates } from '../../../domain/memories/memory.ts';
import type { ChangedState } from '../../../domain/relationships/refresh-states.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';

const shownMax = 1000;

type Repaired = readonly ChangedState[];

const toBody = (repaired: Repaired) => ({ repaired: repaired.length, memories: repaired.slice(0, shownMax) });

export const repairEffectiveState: Route = (app, { relationships }) => {
  app.post(
    '/api/memories/repair-effective-state',
    {
      schema: {
        operationId: 'repairEffectiveState',
        tags: ['Relationships'],
        summary: 'Recompute the states of all memories',
        description:
          'Computes every effectiveState from the relationships again. States follow each change by themselves; ' +
          'this is for stores that were changed by hand.',
        response: {
          200: Type.Object(
            {
              repaired: Type.Integer(),
              memories: Type.Array(
                Type.Object({
                  memoryId: Type.String(),
                  previousState: oneOf(effectiveStates, component('EffectiveState')),
                }),
                { description: `At most ${shownMax.toLocaleString('en')} of them.` },
              ),
            },
            { description: 'The memories whose state was wrong.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const act = keyedAct<Repaired>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await relationships.repairStates(request.user, act));
    },
  );
};
