import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiKey, KeyScope } from '../../domain/api-keys/api-key.ts';
import type { Authenticated, KeyService } from '../../domain/api-keys/key-service.ts';
import type { OAuthTokens } from '../../domain/oauth/oauth-tokens.ts';
import { AppError, storeReadOnly } from '../../domain/shared/errors.ts';
import { type Author, agentLengthMax, hookAgent, type UserRef } from '../../domain/shared/user-ref.ts';
import { globalPlugin } from '../global-plugin.ts';
import { RateLimits } from '../load/rate-limits.ts';
import { resourceOf } from '../oauth/metadata.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the data; set before any handler of a route that needs a key. */
    user: UserRef;
    apiKey: ApiKey;
  }
  interface FastifyInstance {
    readonly rateLimits: RateLimits;
  }
  interface FastifyContextConfig {
    /**
     * Scope that the route needs; `any` if every valid key will do;
     * undefined for the default: read for GET, write for all others.
     */
    scope?: KeyScope | 'any';
    /** The door that its writes come through; default: http. */
    door?: Author['via'];
    /** True if the response contains a secret: it is not stored for repetitions. */
    showsSecret?: boolean;
    /** True for routes that need no key. */
    public?: boolean;
  }
}

/** @throws 429 if the key has a limit and has reached it; 403 if it lacks the scope */
function assertMay({ id, scopes, requestsPerMinute }: ApiKey, scope: KeyScope | 'any', limits: RateLimits) {
  if (requestsPerMinute !== null) limits.noteUse(id, requestsPerMinute);
  if (scope !== 'any' && !scopes.includes(scope))
    throw new AppError('SCOPE_REQUIRED', `This call needs a key with the scope ${scope}.`);
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** The name of the program at the beginning of its `User-Agent`, such as `claude-code` of `claude-code/2.1.0`. */
function agentOf({ headers }: FastifyRequest): string | undefined {
  return /^[\w.-]+/.exec(headers['user-agent'] ?? '')?.[0].slice(0, agentLengthMax);
}

function cameBy(request: FastifyRequest): Pick<Author, 'via' | 'agent'> {
  const agent = agentOf(request);
  if (agent === hookAgent) return { via: 'hook' };
  const via = request.routeOptions.config.door ?? 'http';
  return agent === undefined ? { via } : { via, agent };
}

function scopeOf(request: FastifyRequest): KeyScope | 'any' {
  const { scope } = request.routeOptions.config;
  return scope ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
}

/** @throws 409 if the service only reads and the route changes something */
function assertReads(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (request.routeOptions.config.scope !== 'read') throw storeReadOnly();
}

interface AuthenticateOptions {
  readonly isReadOnly: boolean;
  readonly keys: KeyService;
  readonly tokens: OAuthTokens;
  /** Undefined if OAuth is off. */
  readonly publicUrl: string | undefined;
}

/**
 * Requires a key on every route that is not public; `/mcp` takes access tokens too. A valid key is throttled by
 * its own limit alone.
 */
export const authenticate = globalPlugin<AuthenticateOptions>(
  'authenticate',
  async (app: FastifyInstance, { keys, tokens, publicUrl, isReadOnly }) => {
    const limits = new RateLimits();
    app.decorate('rateLimits', limits);
    app.decorateRequest('user');
    app.decorateRequest('apiKey');
    const look = (key: string, isThrottled: boolean) =>
      isThrottled ? keys.authenticateThrottled(key) : keys.authenticate(key);
    const admit = (request: FastifyRequest, found: Authenticated | undefined) => {
      if (!found) {
        limits.noteFailure(request.ip);
        throw new AppError(
          'AUTHENTICATION_REQUIRED',
          'Send a valid API key: Authorization: Bearer <API_KEY>.',
        );
      }
      // First, so that the line of a refused request in the log names the key.
      request.apiKey = found.key;
      assertMay(found.key, scopeOf(request), limits);
      if (isReadOnly) assertReads(request);
      const { id: keyId, label } = found.key;
      request.user = { ...found.user, by: { keyId, label, ...cameBy(request) } };
    };
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.public || request.is404) return done();
      const key = bearer(request);
      const isToken =
        key !== undefined &&
        publicUrl !== undefined &&
        request.routeOptions.url === '/mcp' &&
        tokens.isToken(key);
      const lookUp = () => {
        if (key === undefined) return Promise.resolve(undefined);
        if (isToken) return tokens.authenticate(key, resourceOf(publicUrl));
        return look(key, limits.isThrottled(request.ip));
      };
      lookUp().then((authenticated) => {
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
