import { sectionDeadlineMs } from '../../../briefing/context/context.ts';
import { rootCodeOf } from '../../../lib/failure-log.ts';
import type { Route } from '../../route-plugin.ts';
import {
  ContextBody,
  ContextResponseSchema,
  toContextRecord,
  toContextRequest,
} from '../../schemas/built-context.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';

export const buildContext: Route = (app, { briefing }) => {
  app.post(
    '/api/memories/build-context',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'buildContext',
        tags: ['Briefing'],
        summary: 'Gather what to know before work begins',
        description:
          'The conversation that the work belongs to, memories and facts about it, facts that several memories say, ' +
          'and what was written lately; within a budget of tokens. Sections are found at the same time; one that ' +
          'fails or takes longer than 5 s is empty and named in `meta`.',
        body: ContextBody,
        response: { 200: described(ContextResponseSchema, 'The sections.'), ...errorResponses },
      },
    },
    async ({ user, body, log }) => {
      const request = toContextRequest(body);
      const built = await briefing.context(user, {
        ...request,
        deadlineMs: sectionDeadlineMs,
        onFailure: (section, error) =>
          log.error({ section, code: rootCodeOf(error) }, 'a section of a context could not be made'),
      });
      return toContextRecord(built, request);
    },
  );
};
