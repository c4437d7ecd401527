import {
  feedbackActions,
  feedbackQueryMax,
  searchMethodLengthMax,
  searchSessionIdLengthMax,
} from '../../../../domain/feedback/feedback.ts';
import { keyedAct } from '../../../keyed-act.ts';
import { type Route, Type } from '../../../route-plugin.ts';
import { errorResponses, noContent } from '../../../schemas/envelope.ts';
import { oneOf, recordId } from '../../../schemas/query.ts';
import { sampleIds } from '../../../schemas/samples.ts';

/** Beyond the end of every list of results. */
const positionMax = 1_000_000;

const Body = Type.Object(
  {
    memoryId: recordId('The result that this is about.'),
    action: oneOf(feedbackActions, { description: 'Whether it was taken.' }),
    query: Type.Optional(
      Type.String({
        maxLength: 32_768,
        description: `What was asked; the first ${feedbackQueryMax} characters are kept.`,
      }),
    ),
    searchMethod: Type.Optional(
      Type.String({ maxLength: searchMethodLengthMax, description: 'The search method used.' }),
    ),
    searchSessionId: Type.Optional(
      Type.String({
        maxLength: searchSessionIdLengthMax,
        description: 'What the client counts as one search.',
      }),
    ),
    resultPosition: Type.Optional(
      Type.Integer({ minimum: 0, maximum: positionMax, description: 'Place in the list of results.' }),
    ),
  },
  {
    examples: [
      {
        memoryId: sampleIds.memory,
        action: 'selected',
        query: 'how do we deploy',
        searchMethod: 'hybrid',
        resultPosition: 1,
      },
    ],
  },
);

export const recordSearchFeedback: Route = (app, { feedback }) => {
  app.post(
    '/api/memories/search/feedback',
    {
      schema: {
        operationId: 'recordSearchResultFeedback',
        tags: ['Search'],
        summary: 'Record whether a search result was used',
        description:
          'Counted in `GET /api/memories/stats`, a part of the quality of the memory, and of the order of later searches: it ' +
          'changes a score by a twentieth at most (`feedbackWeight` of a search; docs/search.md).',
        body: Body,
        response: { 204: noContent('Recorded.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const stated = {
        memoryId: body.memoryId,
        action: body.action,
        query: body.query || null,
        searchMethod: body.searchMethod || null,
        searchSessionId: body.searchSessionId || null,
        position: body.resultPosition ?? null,
      };
      await feedback.record(
        user,
        stated,
        keyedAct(request, reply, 204, () => ({ body: null })),
      );
      return reply.code(204).send(null);
    },
  );
};
