import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { type Link, LinkedList } from '../../lib/linked-list.ts';
import { sendError } from './error-handler.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The entry of this request in the list of requests with a deadline; set by the first hook. */
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
 * Responds 503 to requests that take longer than the handler timeout; work that they
 * began goes on. The time in which the client sends the body does not count: Node ends
 * that with 408 after the request timeout. One timer checks all requests: Fastify's own
 * `handlerTimeout` makes an AbortController for each, which costs more than the routing.
 */
export const deadline = globalPlugin<{ handlerTimeoutMs: number }>(
  'deadline',
  async (app: FastifyInstance, options) => {
    /** Oldest first. */
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
        // Once its head is sent, as in a long export, a response cannot become a 503.
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
    // The handler was in time, though a compressed or streamed response has no
    // bytes yet. A 503 in its place would have its headers, such as the encoding.
    app.addHook('onSend', (request, _reply, payload, done) => {
      end(request);
      done(null, payload);
    });
    app.addHook('onClose', async () => clearInterval(timer));
  },
);
