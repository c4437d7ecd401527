import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { ApiKey, KeyScope } from '../../domain/api-keys/api-key.ts';
import type { Authenticated, KeyService } from '../../domain/api-keys/key-service.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the data; set before any handler of a route that needs a key. */
    user: UserRef;
    apiKey: ApiKey;
  }
  interface FastifyContextConfig {
    /**
     * Scope that the route needs; `any` if every valid key will do;
     * undefined for the default: read for GET, write for all others.
     */
    scope?: KeyScope | 'any';
    /** True if the response contains a secret: it is not stored for repetitions. */
    showsSecret?: boolean;
    /** True for routes that need no key. */
    public?: boolean;
  }
}

const failuresMax = 30;
const windowMs = 60_000;
const addressesMax = 10_000;

/** Counts failed authentications by address, in windows of a minute. */
class FailureCounter {
  readonly #failures = new LRUCache<string, { count: number; since: number }>({
    max: addressesMax,
    ttl: windowMs,
  });

  /** Whether the next failed authentication of this address is a 429. */
  isOver(address: string): boolean {
    return (this.#failures.get(address)?.count ?? 0) >= failuresMax;
  }

  /** @throws 429 after more than 30 failures in the window */
  note(address: string): void {
    // Monotonic: a wall clock set back by a week would throttle for a week.
    const now = performance.now();
    const entry = this.#failures.get(address) ?? { count: 0, since: now };
    entry.count++;
    this.#failures.set(address, entry, { ttl: Math.max(1, entry.since + windowMs - now) });
    if (entry.count > failuresMax) {
      const retryAfter = Math.max(1, Math.ceil((entry.since + windowMs - now) / 1000));
      throw new AppError('RATE_LIMITED', 'Too many failed authentications from this address.', {
        retryAfter,
      });
    }
  }
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function scopeOf(request: FastifyRequest): KeyScope | 'any' {
  const { scope } = request.routeOptions.config;
  return scope ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
}

/** Requires a key on every route that is not public. A valid key is never throttled. */
export const authenticate = globalPlugin<{ keys: KeyService }>(
  'authenticate',
  async (app: FastifyInstance, { keys }) => {
    const failures = new FailureCounter();
    app.decorateRequest('user');
    app.decorateRequest('apiKey');
    const look = (key: string, isThrottled: boolean) =>
      isThrottled ? keys.authenticateThrottled(key) : keys.authenticate(key);
    const admit = (request: FastifyRequest, found: Authenticated | undefined) => {
      if (!found) {
        failures.note(request.ip);
        throw new AppError(
          'AUTHENTICATION_REQUIRED',
          'Send a valid API key: Authorization: Bearer <API_KEY>.',
        );
      }
      const scope = scopeOf(request);
      if (scope !== 'any' && !found.key.scopes.includes(scope)) {
        throw new AppError('SCOPE_REQUIRED', `This call needs a key with the scope ${scope}.`);
      }
      request.user = found.user;
      request.apiKey = found.key;
    };
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.public || request.is404) return done();
      const key = bearer(request);
      const found = key === undefined ? Promise.resolve(undefined) : look(key, failures.isOver(request.ip));
      found.then((authenticated) => {
        try {
          admit(request, authenticated);
        } catch (error) {
          return done(error as Error);
        }
        done();
      }, done);
    });
  },
);
