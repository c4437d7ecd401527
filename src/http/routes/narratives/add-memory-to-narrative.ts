import type { Narrative } from '../../../domain/narratives/narrative.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { NarrativeSchema, toNarrativeRecord } from '../../schemas/narrative.ts';
import { idParams, recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    memoryId: recordId('The memory to put into the thread.'),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Its place from 0, at most the number of other memories in the thread; the end if left out.',
      }),
    ),
  },
  { examples: [{ memoryId: sampleIds.otherMemory, position: 0 }] },
);

export const addMemoryToNarrative: Route = (app, { narratives }) => {
  app.post(
    '/api/narratives/:id/memories',
    {
      schema: {
        operationId: 'addMemoryToNarrative',
        tags: ['Narratives'],
        summary: 'Add a memory to a narrative',
        description: 'At its end, or at `position`; one that is in it already moves there.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(NarrativeSchema, 'The narrative as it is now.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, params, body } = request;
      const toBody = (narrative: Narrative) => ({ data: toNarrativeRecord(narrative, user) });
      const act = keyedAct<Narrative>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await narratives.addMemory(user, params.id, body, act));
    },
  );
};
