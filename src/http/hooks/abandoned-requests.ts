import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { StoredResponse } from '../../domain/shared/idempotency-store.ts';
import { MINUTE_MS } from '../../domain/shared/time.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Link, LinkedList } from '../../lib/collections.ts';
import { globalPlugin } from '../global-plugin.ts';
import { replay } from '../keyed-act.ts';
import { fingerprintOf, isRepeatable, lastingResponse, PendingResponse } from './idempotency-keys.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a POST without an `Idempotency-Key` until its response is sent. */
    unkeyed: UnkeyedRequest | undefined;
  }
}

const undeliveredMax = 10_000;
const undeliveredLengthMax = 32 * 1024 * 1024;
const undeliveredMs = 10 * MINUTE_MS;

/**
 * Responses that no client got, by the slot of their request: at
 * most 10,000 or 32 M characters, for 10 minutes.
 */
const newUndelivered = () =>
  new LRUCache<string, StoredResponse>({
    max: undeliveredMax,
    maxSize: undeliveredLengthMax,
    sizeCalculation: ({ body }) => body.length + 1,
    ttl: undeliveredMs,
  });

/**
 * A running POST without a key. Its slot is computed only after its client disconnected: hashing costs time.
 */
class UnkeyedRequest {
  readonly #request: FastifyRequest;
  #slot: string | undefined;
  /** The entry in the list of abandoned requests; undefined while the client is connected. */
  abandoned: Link<UnkeyedRequest> | undefined;
  /** Created when a repetition waits for the response of this request. */
  pending: PendingResponse | undefined;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  get slot(): string {
    this.#slot ??= slotOf(this.#request);
    return this.#slot;
  }
}

/** Hash of user, path and body: equal requests have the same one. */
function slotOf(request: FastifyRequest): string {
  return `${request.user.id} ${fingerprintOf(request)}`;
}

/**
 * If the connection of a POST closed before its response was written, the same
 * POST within 10 minutes is a retry: it is not executed again and gets the
 * response of the first. Equal POSTs of a connected client are separate requests.
 *
 * Clients that retry so: `RetryHandler.handle` of the public SDK (`@memnexus-ai/typescript-sdk` 1.77.1) sends
 * every request up to three times after an error, POSTs without a key after its own timeout too.
 */
export const abandonedRequests = globalPlugin<{ readonly clock: Clock }>(
  'abandoned-requests',
  async (app: FastifyInstance, { clock }) => {
    const abandoned = new LinkedList<UnkeyedRequest>();
    const undelivered = newUndelivered();
    app.decorateRequest('unkeyed');

    const begin = (request: FastifyRequest) => {
      const unkeyed = new UnkeyedRequest(request);
      request.unkeyed = unkeyed;
      request.whenClosed(() => {
        if (request.unkeyed) unkeyed.abandoned = abandoned.add(unkeyed);
      });
    };
    const earlierResponse = async (slot: string) => {
      for (const same of abandoned) {
        if (same.slot !== slot) continue;
        same.pending ??= new PendingResponse();
        return undelivered.get(slot) ?? (await same.pending.response);
      }
      return undelivered.get(slot);
    };

    // Hooks with callbacks: async hooks would lower the rate of creates measurably.
    app.addHook('preHandler', (request, reply, done) => {
      if (!isRepeatable(request) || request.keyed || request.routeOptions.config.showsSecret) return done();
      if (abandoned.size === 0 && undelivered.size === 0) {
        begin(request);
        return done();
      }
      earlierResponse(slotOf(request)).then((response) => {
        if (response) return replay(reply, response);
        begin(request);
        done();
      }, done);
    });

    app.addHook('onSend', (request, reply, payload, done) => {
      const { unkeyed } = request;
      request.unkeyed = undefined;
      if (unkeyed?.abandoned) {
        abandoned.remove(unkeyed.abandoned);
        const { slot: fingerprint, pending } = unkeyed;
        const response = lastingResponse(reply, { payload, fingerprint, createdAt: clock.now() });
        if (response) undelivered.set(fingerprint, response);
        pending?.end(response);
      }
      done(null, payload);
    });
  },
);
