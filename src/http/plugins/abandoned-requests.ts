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

/** A request that is being done. What it costs to know it again is only paid when its client went away. */
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

  /** Hash of user, path and body: equal for requests that are the same. */
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
 * A POST whose connection closed before its response was written, by a client that gave up and tries again, is not done
 * again for 10 minutes: the repeat gets its response. A client that still waits, or got a response, asks for two.
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

    // Hooks with callbacks: what an async hook costs is noticed in the rate of creates.
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
