import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { type Link, LinkedList } from '../../lib/collections.ts';
import type { ActiveRequests } from '../../lib/throttle.ts';
import { sendError } from '../errors.ts';
import { globalPlugin } from '../global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Callbacks at the end of the response; undefined after it. */
    atClose: (() => void)[] | undefined;
    /**
     * Calls `act` after the response was sent whole or its connection closed; at once if that has happened.
     */
    whenClosed(act: () => void): void;
    /** Counts the request no more, before its end. */
    endCount: (() => void) | undefined;
    /** The entry of this request in the list of requests with a deadline; set by the first hook. */
    timed: Link<Timed> | undefined;
  }
}

/**
 * Counts each request from its head to the end of its response or connection. One listener
 * for all callbacks at that end: each further listener took about 1 us of every request.
 */
export const requestLifetime = globalPlugin<{ requests: ActiveRequests }>(
  'request-lifetime',
  async (app: FastifyInstance, { requests }) => {
    app.decorateRequest('atClose');
    app.decorateRequest('endCount');
    app.decorateRequest('whenClosed', function whenClosed(this: FastifyRequest, act) {
      if (this.atClose) this.atClose.push(act);
      else act();
    });
    app.addHook('onRequest', (request, reply, done) => {
      requests.begin();
      const acts: (() => void)[] = [];
      request.atClose = acts;
      request.endCount = () => {
        request.endCount = undefined;
        requests.end();
      };
      reply.raw.once('close', () => {
        request.endCount?.();
        request.atClose = undefined;
        for (const act of acts) act();
      });
      done();
    });
  },
);

interface Timed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly since: number;
}

const retryAfter = 5;
const looksPerTimeout = 20;

/**
 * Responds 503 to requests that take longer than the handler timeout; the work that they
 * began continues. The time in which the client sends the body does not count: Node ends
 * that with 408 after the request timeout. One timer checks all requests: Fastify's own
 * `handlerTimeout` makes an AbortController for each, which costs more than the routing.
 */
export const deadline = globalPlugin<{ handlerTimeoutMs: number }>(
  'deadline',
  async (app: FastifyInstance, { handlerTimeoutMs }) => {
    /** Oldest first. */
    const unanswered = new LinkedList<Timed>();
    app.decorateRequest('timed');
    const begin = (request: FastifyRequest, reply: FastifyReply) => {
      request.timed = unanswered.add({ request, reply, since: performance.now() });
    };
    const end = ({ timed }: FastifyRequest) => {
      if (timed) unanswered.remove(timed);
    };
    const endLate = () => {
      const latest = performance.now() - handlerTimeoutMs;
      for (let oldest = unanswered.first; oldest && oldest.value.since <= latest; oldest = unanswered.first) {
        unanswered.remove(oldest);
        const { request, reply } = oldest.value;
        if (!request.raw.complete && !reply.sent) {
          begin(request, reply);
          continue;
        }
        // Once its head is sent, as in a long export, a response cannot become a 503.
        if (reply.sent || reply.raw.headersSent) continue;
        const late = new AppError('DEADLINE_EXCEEDED', 'The request took too long.', { retryAfter });
        sendError(request, reply, late);
      }
    };
    const timer = setInterval(endLate, Math.max(5, handlerTimeoutMs / looksPerTimeout)).unref();
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
