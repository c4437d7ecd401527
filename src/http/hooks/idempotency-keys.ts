import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidInput, isUserGone } from '../../domain/shared/errors.ts';
import {
  type IdempotencyStore,
  idempotencyLifetimeMs,
  type StoredResponse,
  unfinished,
} from '../../domain/shared/idempotency-store.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { Clock } from '../../lib/clock.ts';
import { globalPlugin } from '../global-plugin.ts';
import { assertSameRequest, type Keyed, noContent, replay } from '../keyed-act.ts';
import { toLoggedFailure } from '../log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a request with an `Idempotency-Key` runs, so that repetitions get its response. */
    keyed: KeyedRequest | undefined;
  }
}

interface KeyedRequest extends Keyed {
  /** User and key: equal for repetitions. */
  readonly slot: string;
  readonly response: PendingResponse;
}

interface IdempotencyDeps {
  readonly idempotency: IdempotencyStore;
  readonly stores: Stores;
  readonly clock: Clock;
}

const keyLengthMax = 255;
const serverFault = 500;

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) && key.length <= keyLengthMax) return key;
  throw invalidInput('Idempotency-Key', `must be 1 to ${keyLengthMax} visible ASCII characters`);
}

/**
 * The response stored within the last 24 hours; undefined
 * for an unfinished change, which its service continues.
 */
async function storedResponse({ idempotency, clock }: IdempotencyDeps, request: FastifyRequest, key: string) {
  const stored = await idempotency.find(request.user, key);
  const isOld = stored !== undefined && stored.createdAt <= clock.now() - idempotencyLifetimeMs;
  return stored?.status === unfinished || isOld ? undefined : stored;
}

/** The requests with a key that run in this process, and the responses to those that ended. */
class KeyedRequests {
  readonly #deps: IdempotencyDeps;
  /** By slot. */
  readonly #pending = new Map<string, PendingResponse>();

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /** @returns true if the response of an earlier request was sent */
  async isReplayed(request: FastifyRequest, reply: FastifyReply, key: string): Promise<boolean> {
    const slot = `${request.user.id} ${key}`;
    const fingerprint = fingerprintOf(request);
    const replaySame = (stored: StoredResponse) => {
      assertSameRequest(stored, { fingerprint });
      replay(reply, stored);
      return true;
    };
    // No await between the check and `set`: of many requests that arrive or wake together, only one begins.
    for (let first = this.#pending.get(slot); first; first = this.#pending.get(slot)) {
      const response = await first.response;
      if (response) return replaySame(response);
    }
    const own = new PendingResponse();
    this.#pending.set(slot, own);
    request.keyed = { key, fingerprint, slot, response: own, stored: undefined };
    const before = await storedResponse(this.#deps, request, key);
    if (!before) return false;
    request.keyed = undefined;
    this.#pending.delete(slot);
    own.end(before);
    return replaySame(before);
  }

  /** @returns the payload to send: that of another process if it was faster with the same key */
  async ended(request: FastifyRequest, reply: FastifyReply, keyed: KeyedRequest, payload: unknown) {
    const { fingerprint, key, slot } = keyed;
    const sent = keyed.stored
      ? undefined
      : lastingResponse(reply, { payload, fingerprint, createdAt: this.#deps.clock.now() });
    const stored = sent && (await this.#storeRefusal(request, key, sent));
    this.#pending.delete(slot);
    // A failure may have rolled back the transaction that stored the
    // response: waiting repetitions look in the store themselves.
    keyed.response.end(reply.statusCode >= serverFault ? undefined : (keyed.stored ?? stored));
    if (!stored || stored === sent) return payload;
    reply.code(stored.status);
    return stored.body;
  }

  /** @returns the response stored under the key, which is another process's if that was faster */
  async #storeRefusal(request: FastifyRequest, key: string, response: StoredResponse) {
    try {
      const stored = await this.#deps.stores
        .forUser(request.user)
        .transaction(({ responses }) => responses.save(key, response));
      return stored.fingerprint === response.fingerprint ? stored : response;
    } catch (error) {
      // The request changed nothing: the same rule refuses a repetition.
      const log = { requestId: request.id, failure: toLoggedFailure(error) };
      if (!isUserGone(error))
        request.log.error(log, 'a refusal could not be stored under its Idempotency-Key');
      return response;
    }
  }
}

/**
 * Executes a POST once for each `Idempotency-Key` within 24 hours. The service stores the response
 * in the transaction of the change (`keyedAct`); refusals, which changed nothing, are stored here.
 */
export const idempotencyKeys = globalPlugin<IdempotencyDeps>(
  'idempotency-keys',
  async (app: FastifyInstance, deps) => {
    const requests = new KeyedRequests(deps);
    app.decorateRequest('keyed');

    // Hooks with callbacks: async hooks would lower the rate of creates measurably.
    app.addHook('preHandler', (request, reply, done) => {
      try {
        const key = isRepeatable(request) ? keyOf(request) : undefined;
        if (key === undefined) return done();
        requests.isReplayed(request, reply, key).then((replayed) => {
          if (!replayed) done();
        }, done);
      } catch (error) {
        done(error as Error);
      }
    });

    app.addHook('onSend', (request, reply, payload, done) => {
      const { keyed } = request;
      if (!keyed) return done(null, payload);
      requests.ended(request, reply, keyed, payload).then((sent) => done(null, sent), done);
    });
  },
);

/** The response of a running request; repetitions of the request wait for it. */
export class PendingResponse {
  /** Undefined if no response is worth replaying: repetitions run themselves. */
  readonly response: Promise<StoredResponse | undefined>;
  #resolve: (response: StoredResponse | undefined) => void = () => undefined;

  constructor() {
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  end(response: StoredResponse | undefined): void {
    this.#resolve(response);
  }
}

export function isRepeatable(request: FastifyRequest): boolean {
  if (request.method !== 'POST' || request.user === undefined) return false;
  const { scope } = request.routeOptions.config;
  // The name of a record created by an operator already makes it unique.
  return scope !== 'read' && scope !== 'operator';
}

/** Equal for the same path and body. */
export function fingerprintOf({
  method,
  url,
  body,
}: Pick<FastifyRequest, 'method' | 'url' | 'body'>): string {
  return hash('sha256', `${method} ${url}\n${JSON.stringify(body ?? null)}`, 'base64url');
}

interface ResponseContext {
  readonly payload: unknown;
  readonly fingerprint: string;
  readonly createdAt: number;
}

/** The response about to be sent, if a repetition should get the same; transient failures are tried again. */
export function lastingResponse(
  reply: FastifyReply,
  { payload, fingerprint, createdAt }: ResponseContext,
): StoredResponse | undefined {
  const { statusCode: status } = reply;
  const passes = status >= 500 || status === 401 || status === 403 || status === 429;
  const body = status === noContent ? '' : payload;
  if (passes || typeof body !== 'string') return undefined;
  const etag = reply.getHeader('etag');
  return { fingerprint, status, body, etag: typeof etag === 'string' ? etag : null, createdAt };
}
