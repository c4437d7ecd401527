import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { sendError } from './error-handler.ts';
import { globalPlugin } from './global-plugin.ts';

const retryAfter = 5;
const looksPerTimeout = 20;

/**
 * Answers 503 to requests that take longer than the handler timeout; what they began goes on. Time in which the client
 * still sends the body does not count: Node ends that with 408 after the request timeout. One timer looks at all of them: Fastify's own `handlerTimeout` makes an AbortController a request, which cost more than the routing.
 */
export const deadline = globalPlugin<{ handlerTimeoutMs: number }>(
  'deadline',
  async (app: FastifyInstance, options) => {
    const inFlight = new Map<FastifyRequest, { readonly reply: FastifyReply; readonly since: number }>();
    const lookAtAll = () => {
      const latest = performance.now() - options.handlerTimeoutMs;
      for (const [request, { reply, since }] of inFlight) {
        if (since > latest) break;
        inFlight.delete(request);
        if (!request.raw.complete && !reply.sent) {
          inFlight.set(request, { reply, since: performance.now() });
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
      inFlight.set(request, { reply, since: performance.now() });
      reply.raw.once('close', () => inFlight.delete(request));
      done();
    });
    // The request was answered in time, though a response that is compressed or read from a store has no bytes yet. Another in its
    // place would have its headers, such as the encoding.
    app.addHook('onSend', (request, _reply, payload, done) => {
      inFlight.delete(request);
      done(null, payload);
    });
    app.addHook('onClose', async () => clearInterval(timer));
  },
);
