import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import {
  fingerprintOf,
  InFlightRequest,
  isRepeatable,
  lastingResponse,
  replay,
  UndeliveredResponses,
} from '../repeats.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a POST without an `Idempotency-Key` until its response is sent. */
    open: OpenRequest | undefined;
  }
}

/**
 * A request in flight. Its slot is computed only after its
 * client disconnected: hashing each request costs time.
 */
class OpenRequest {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #slot: string | undefined;
  /** Created when a repetition waits for the response of this request. */
  inFlight: InFlightRequest | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
  }

  get isAbandoned(): boolean {
    return this.#reply.raw.destroyed;
  }

  /** Hash of user, path and body: equal requests have the same one. */
  get slot(): string {
    this.#slot ??= slotOf(this.#request);
    return this.#slot;
  }
}

function slotOf(request: FastifyRequest): string {
  return `${request.user.id} ${fingerprintOf(request)}`;
}

/** POSTs in flight, by user. */
class OpenRequests {
  readonly #byUser = new Map<number, Set<OpenRequest>>();

  add(userId: number, open: OpenRequest): void {
    const others = this.#byUser.get(userId);
    if (others) others.add(open);
    else this.#byUser.set(userId, new Set([open]));
  }

  remove(userId: number, open: OpenRequest): void {
    const others = this.#byUser.get(userId);
    others?.delete(open);
    if (others?.size === 0) this.#byUser.delete(userId);
  }

  /** Open requests of the user whose client disconnected. */
  abandoned(userId: number): OpenRequest[] {
    const found: OpenRequest[] = [];
    for (const open of this.#byUser.get(userId) ?? []) if (open.isAbandoned) found.push(open);
    return found;
  }
}

/**
 * If the connection of a POST closed before its response was written, the same
 * POST within 10 minutes is a retry: it is not executed again and gets the
 * response of the first. Equal POSTs of a connected client are separate requests.
 */
export const abandonedRequests = globalPlugin<{ readonly clock: Clock }>(
  'abandoned-requests',
  async (app: FastifyInstance, { clock }) => {
    const requests = new OpenRequests();
    const undelivered = new UndeliveredResponses();
    app.decorateRequest('open');

    const begin = (request: FastifyRequest, reply: FastifyReply) => {
      request.open = new OpenRequest(request, reply);
      requests.add(request.user.id, request.open);
    };
    const earlierResponse = async (slot: string, abandoned: readonly OpenRequest[]) => {
      const same = abandoned.find((open) => open.slot === slot);
      if (same) same.inFlight ??= new InFlightRequest();
      return undelivered.find(slot) ?? (await same?.inFlight?.response);
    };

    // Hooks with callbacks: async hooks would lower the rate of creates measurably.
    app.addHook('preHandler', (request, reply, done) => {
      if (!isRepeatable(request) || request.keyed || request.routeOptions.config.showsSecret) return done();
      const abandoned = requests.abandoned(request.user.id);
      if (abandoned.length === 0 && undelivered.isEmpty) {
        begin(request, reply);
        return done();
      }
      earlierResponse(slotOf(request), abandoned).then((response) => {
        if (response) return replay(reply, response);
        begin(request, reply);
        done();
      }, done);
    });

    app.addHook('onSend', (request, reply, payload, done) => {
      const { open } = request;
      if (open) {
        request.open = undefined;
        requests.remove(request.user.id, open);
        if (open.isAbandoned) {
          const response = lastingResponse(reply, {
            payload,
            fingerprint: open.slot,
            createdAt: clock.now(),
          });
          if (response) undelivered.keep(open.slot, response);
          open.inFlight?.end(response);
        }
      }
      done(null, payload);
    });
  },
);
