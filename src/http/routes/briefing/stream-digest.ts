import { heartbeatMsOf, streamResult } from '../../event-stream.ts';
import { withIgnored } from '../../ignored-fields.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { DigestBody, toDigestRecord, toDigestRequest } from '../../schemas/digest.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';

/** One event of the stream; its data is JSON. */
const DigestEvent = Type.Object({
  event: oneOf(['result', 'done', 'error']),
  data: Type.String({ description: 'JSON: a digest, `{}`, or `{error, code, statusCode}`.' }),
});

export interface StreamDigestOptions {
  readonly connectionTimeoutMs: number;
}

export function streamDigest({ connectionTimeoutMs }: StreamDigestOptions): Route {
  const heartbeatMs = heartbeatMsOf(connectionTimeoutMs);
  return (app, { briefing, clock }) => {
    app.post(
      '/api/memories/digest/stream',
      {
        config: { scope: 'read', namesIgnored: true },
        schema: {
          operationId: 'streamMemoryDigest',
          tags: ['Briefing'],
          summary: 'Digest what is known, as a stream of events',
          description:
            'The same as `POST /api/memories/digest`, as server-sent events, for digests that take longer than a proxy ' +
            'waits: a comment at least every 10 s, then `result` with the digest, and `done`; or `error` with ' +
            '`{error, code, statusCode}`. A body that breaks a rule is refused with 422 before the stream begins. ' +
            'The work ends when the client goes away.',
          body: DigestBody,
          response: {
            200: {
              description: 'The events, until `done` or `error`.',
              content: { 'text/event-stream': { schema: DigestEvent } },
            },
            ...errorResponses,
          },
        },
      },
      async (request, reply) => {
        const { user, body, ignored } = request;
        const now = clock.now();
        const asked = toDigestRequest(body, now);
        await streamResult(request, reply, { heartbeatMs }, async (signal) => {
          const digest = await briefing.digest(user, { ...asked, signal });
          return withIgnored(toDigestRecord(digest, asked, body, now), ignored);
        });
        return reply;
      },
    );
  };
}
