import type { Narrative } from '../../../domain/narratives/narrative.ts';
import { narrativeStates } from '../../../domain/narratives/narrative.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord, ifMatch } from '../../schemas/if-match.ts';
import {
  NarrativeSchema,
  narrativeTitle,
  narrativeTopics,
  toNarrativeRecord,
} from '../../schemas/narrative.ts';
import { idParams, oneOf } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    title: Type.Optional(narrativeTitle),
    state: Type.Optional(
      oneOf(narrativeStates, {
        description:
          'Stored as sent. open and reopened take away the resolution unless one is sent with them.',
      }),
    ),
    resolutionMemoryId: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 200,
        description: 'The memory that resolves the thread; it joins the end if it is not in it. null: none.',
      }),
    ),
    topics: narrativeTopics('In the place of those stated before; empty: those of its memories again.'),
  },
  { examples: [{ state: 'resolved', resolutionMemoryId: sampleIds.otherMemory }] },
);

export const updateNarrative: Route = (app, { narratives }) => {
  app.patch(
    '/api/narratives/:id',
    {
      config: { ifMatch: true },
      schema: {
        operationId: 'updateNarrative',
        tags: ['Narratives'],
        summary: 'Change a narrative',
        description:
          'Renames it, moves it to another state, or names its resolution or topics; what the body leaves out stays.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(NarrativeSchema, 'The narrative as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body, headers }, reply) => {
      const { title, state, resolutionMemoryId, topics } = body;
      const isSeen = ifMatch(headers, (narrative: Narrative) => toNarrativeRecord(narrative, user));
      const change = { title, state, resolutionMemoryId, topics };
      const data = toNarrativeRecord(await narratives.update(user, params.id, change, isSeen), user);
      return reply.header('ETag', etagOfRecord(data)).send({ data });
    },
  );
};
