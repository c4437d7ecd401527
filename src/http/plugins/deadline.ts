import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { type Link, LinkedList } from '../../lib/linked-list.ts';
import { sendError } from './error-handler.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its place among those that the deadline may still answer; set by the first hook. */
    timed: Link<Timed> | undefined;
  }
}

interface Timed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly since: number;
}

const retryAfter = 5;
const looksPerTimeout = 20;

/**
 * Answers 503 to requests that take longer than the handler timeout; what they began goes on. Time in which the client
 * still sends the body does not count: Node ends that with 408 after the request timeout. One timer looks at all of them: Fastify's own `handlerTimeout` makes an AbortController a request, which cost more than the routing.
 */
export const deadline = globalPlugin<{ handlerTimeoutMs: number }>(
  'deadline',
  async (app: FastifyInstance, options) => {
    /** The oldest first. */
    const inFlight = new LinkedList<Timed>();
    app.decorateRequest('timed');
    const begin = (request: FastifyRequest, reply: FastifyReply) => {
      request.timed = inFlight.add({ request, reply, since: performance.now() });
    };
    const end = ({ timed }: FastifyRequest) => {
      if (timed) inFlight.remove(timed);
    };
    const lookAtAll = () => {
      const latest = performance.now() - options.handlerTimeoutMs;
      for (let oldest = inFlight.first; oldest && oldest.value.since <= latest; oldest = inFlight.first) {
        inFlight.remove(oldest);
        const { request, reply } = oldest.value;
        if (!request.raw.complete && !reply.sent) {
          begin(request, reply);
          continue;
        }
        // A response that began, such as a long export, cannot become another.
        if (!reply.sent && !reply.raw.headersSent) {
          sendError(
            request,
            reply,
            new AppError('DEADLINE_EXCEEDED', 'The request took too long.', { retryAfter }),
          );
        }
      }
    };
    const timer = setInterval(lookAtAll, Math.max(5, options.handlerTimeoutMs / looksPerTimeout)).unref();
    app.addHook('onRequest', (request, reply, done) => {
      begin(request, reply);
      request.whenClosed(() => end(request));
      done();
    });
    // The request was answered in time, though a response that is compressed or read from a store has no bytes yet. Another in its
    // place would have its headers, such as the encoding.
    app.addHook('onSend', (request, _reply, payload, done) => {
      end(request);
      done(null, payload);
    });
    app.addHook('onClose', async () => clearInterval(timer));
  },
);
