import type { Route } from '../../route-plugin.ts';
import { DigestBody, DigestResponseSchema, toDigestRecord, toDigestRequest } from '../../schemas/digest.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';

export const createDigest: Route = (app, { briefing, clock }) => {
  app.post(
    '/api/memories/digest',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'createMemoryDigest',
        tags: ['Briefing'],
        summary: 'Digest what is known about something',
        description:
          'Extracts of the memories that a hybrid search finds, word for word, with the number of the source behind ' +
          'each: the most relevant and central statements, each once, grouped, with what was superseded or ' +
          'contradicted told as such. Needs no language model; the same memories and request give the same text, unless `prose` asks for an LLM. ' +
          'docs/briefing.md explains how they are chosen.',
        body: DigestBody,
        response: {
          200: described(
            DigestResponseSchema,
            'The digest, its sources and what they say; where nothing was found, a digest that says so.',
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, body }) => {
      const now = clock.now();
      const request = toDigestRequest(body, now);
      return toDigestRecord(await briefing.digest(user, request), request, body, now);
    },
  );
};
