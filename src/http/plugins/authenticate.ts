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
const countedMax = 10_000;

/**
 * Counts events by a name, in windows of a minute that begin with an event. Of more
 * names than it holds, it forgets those whose last event is longest ago.
 */
class MinuteCounter {
  readonly #windows = new LRUCache<string, { count: number; readonly until: number }>({ max: countedMax });

  /** Whether the next event of this name is beyond the limit. */
  isOver(name: string, limit: number): boolean {
    return (this.#current(name)?.count ?? 0) >= limit;
  }

  /** @throws 429 with this message, if the window has more events than the limit */
  note(name: string, limit: number, message: string): void {
    const known = this.#current(name);
    const window = known ?? { count: 0, until: performance.now() + windowMs };
    if (!known) this.#windows.set(name, window);
    window.count++;
    if (window.count <= limit) return;
    const retryAfter = Math.max(1, Math.ceil((window.until - performance.now()) / 1000));
    throw new AppError('RATE_LIMITED', message, { retryAfter });
  }

  #current(name: string) {
    const window = this.#windows.get(name);
    // Monotonic: a wall clock set back by a week would throttle for a week.
    return window && window.until > performance.now() ? window : undefined;
  }
}

/** @throws 429 if the key has a limit and has reached it; 403 if it lacks the scope */
function assertMay({ id, scopes, requestsPerMinute }: ApiKey, scope: KeyScope | 'any', uses: MinuteCounter) {
  if (requestsPerMinute !== null)
    uses.note(id, requestsPerMinute, `This key may make ${requestsPerMinute} requests a minute.`);
  if (scope !== 'any' && !scopes.includes(scope))
    throw new AppError('SCOPE_REQUIRED', `This call needs a key with the scope ${scope}.`);
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function scopeOf(request: FastifyRequest): KeyScope | 'any' {
  const { scope } = request.routeOptions.config;
  return scope ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
}

/** Requires a key on every route that is not public. A valid key is throttled by its own limit alone. */
export const authenticate = globalPlugin<{ keys: KeyService }>(
  'authenticate',
  async (app: FastifyInstance, { keys }) => {
    const failures = new MinuteCounter();
    const uses = new MinuteCounter();
    app.decorateRequest('user');
    app.decorateRequest('apiKey');
    const look = (key: string, isThrottled: boolean) =>
      isThrottled ? keys.authenticateThrottled(key) : keys.authenticate(key);
    const admit = (request: FastifyRequest, found: Authenticated | undefined) => {
      if (!found) {
        failures.note(request.ip, failuresMax, 'Too many failed authentications from this address.');
        throw new AppError(
          'AUTHENTICATION_REQUIRED',
          'Send a valid API key: Authorization: Bearer <API_KEY>.',
        );
      }
      // First, so that the line of a refused request in the log names the key.
      request.apiKey = found.key;
      assertMay(found.key, scopeOf(request), uses);
      request.user = found.user;
    };
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.public || request.is404) return done();
      const key = bearer(request);
      const found =
        key === undefined ? Promise.resolve(undefined) : look(key, failures.isOver(request.ip, failuresMax));
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
