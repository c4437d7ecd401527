import type { Narrative } from '../../../domain/narratives/narrative.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { etagOfRecord } from '../../schemas/if-match.ts';
import {
  NarrativeSchema,
  narrativeTitle,
  narrativeTopics,
  toNarrativeRecord,
} from '../../schemas/narrative.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    title: narrativeTitle,
    rootMemoryId: recordId('The first memory of the thread.'),
    topics: narrativeTopics('Left out or empty, the thread shows the topics of its memories.'),
  },
  {
    examples: [{ title: 'Moving the deploys to main', rootMemoryId: sampleIds.memory, topics: ['deploys'] }],
  },
);

export const createNarrative: Route = (app, { narratives }) => {
  app.post(
    '/api/narratives',
    {
      schema: {
        operationId: 'createNarrative',
        tags: ['Narratives'],
        summary: 'Start a narrative',
        description: 'An open thread that begins with one memory.',
        body: Body,
        response: { 201: dataOf(NarrativeSchema, 'The narrative.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const toResponse = (narrative: Narrative) => {
        const data = toNarrativeRecord(narrative, user);
        return { body: { data }, etag: etagOfRecord(data) };
      };
      const narrative = await narratives.create(user, body, keyedAct(request, reply, 201, toResponse));
      const made = toResponse(narrative);
      return reply.code(201).header('ETag', made.etag).send(made.body);
    },
  );
};
