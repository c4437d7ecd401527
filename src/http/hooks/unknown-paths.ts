import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { sendError } from '../errors.ts';
import { globalPlugin } from '../global-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the response to a request with an unknown path or method. */
    refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  }
}

function notServed({ operation, lacking }: UnservedOperation): AppError {
  return new AppError(
    'ROUTE_NOT_FOUND',
    `memoryd has no ${lacking}: ${operation} is not served; docs/clients.md lists what is.`,
  );
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/**
 * 404 for unknown paths; 405 with `Allow` for a known path without the method. A fixed word is
 * never read as an id: `GET /api/memories/bulk` is 405, not a memory with that id. An operation
 * that clients know and this service does not serve is 404 with its name and the missing feature.
 */
export const unknownPaths = globalPlugin('unknown-paths', async (app: FastifyInstance) => {
  const known = new KnownPaths();
  app.addHook('onRoute', ({ url, method }) => {
    // The wildcard route is the preflight route of @fastify/cors; it does not make a path known.
    if (url !== '*') known.add(url, [method].flat());
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request);
    const unserved = unservedOperation(request.method, path);
    if (unserved !== undefined) return sendError(request, reply, notServed(unserved));
    const allowed = known.methodsOf(path);
    // The route is a wildcard below a folder, and found no file.
    if (allowed.size === 0 || allowed.has(request.method))
      return sendError(request, reply, new AppError('ROUTE_NOT_FOUND', 'No endpoint has this path.'));
    const allow = [...allowed, 'OPTIONS'].sort().join(', ');
    reply.header('Allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return sendError(request, reply, new AppError('METHOD_NOT_ALLOWED', `This path has ${allow}.`));
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    // A path equal to its route's pattern has no parameters: no narrower route exists.
    if (request.is404 || url === undefined || url === request.url) return done();
    const path = pathOf(request);
    if (known.hasNarrower(url, path) || isUnservedWord(request.method, path)) refuse(request, reply);
    else done();
  });
  app.decorate('refuseUnknown', refuse);
  app.setNotFoundHandler(refuse);
});

/**
 * An id as this service makes them; another word in place of an id may be an endpoint that does not exist.
 */
const id = '(?:conv_)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const idParameter = /^:(id|.+Id)$/;

interface KnownPath {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

function toSource(segments: readonly string[]): string {
  const sources = segments.map((part) => {
    if (part === '*') return '.*';
    if (idParameter.test(part)) return id;
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return sources.join('/');
}

/** Matches the paths of any of these sources. */
function toRegExp(sources: readonly string[]): RegExp {
  return new RegExp(`^(?:${sources.join('|')})/?$`);
}

/**
 * True if every path of `narrow` matches `wide`, and `narrow`
 * has a fixed word in place of a parameter of `wide`.
 */
function isNarrower(narrow: readonly string[], wide: readonly string[]): boolean {
  if (narrow.length !== wide.length) return false;
  const fits = wide.every((part, i) => part === narrow[i] || part.startsWith(':'));
  return fits && wide.some((part, i) => part.startsWith(':') && !narrow[i].startsWith(':'));
}

/** The paths of all routes with their methods; a fixed word such as `search` is not an id. */
class KnownPaths {
  readonly #paths = new Map<string, KnownPath>();
  /** One pattern for all narrower paths: testing ten of them costs about as much as testing one. */
  readonly #narrower = new Map<string, RegExp | undefined>();

  add(url: string, methods: readonly string[]): void {
    const path = this.#paths.get(url) ?? { segments: url.split('/'), methods: new Set<string>() };
    for (const method of methods) path.methods.add(method);
    this.#paths.set(url, path);
    this.#narrower.clear();
  }

  /** The methods of a path; empty if no route has it. */
  methodsOf(path: string): ReadonlySet<string> {
    const matching = [...this.#paths.values()].filter(({ segments }) =>
      toRegExp([toSource(segments)]).test(path),
    );
    const narrowest = matching.filter(
      ({ segments: parts }) => !matching.some((other) => isNarrower(other.segments, parts)),
    );
    return new Set(narrowest.flatMap(({ methods }) => [...methods]));
  }

  /**
   * Whether `path`, which the router matched to the route
   * `url`, has a fixed word of another route in place of an id.
   */
  hasNarrower(url: string, path: string): boolean {
    return this.#narrowerThan(url)?.test(path) ?? false;
  }

  #narrowerThan(url: string): RegExp | undefined {
    if (this.#narrower.has(url)) return this.#narrower.get(url);
    const wide = this.#paths.get(url);
    const sources = [...this.#paths.values()]
      .filter(({ segments: parts }) => wide !== undefined && isNarrower(parts, wide.segments))
      .map(({ segments: parts }) => toSource(parts));
    const pattern = sources.length > 0 ? toRegExp(sources) : undefined;
    this.#narrower.set(url, pattern);
    return pattern;
  }
}

/**
 * Operations that clients of this API know (the public SDK, its CLI) and this service
 * does not serve, by missing feature. Without this list the last word of some would
 * be read as an id. docs/clients.md shows them; a test compares both with the SDK.
 */
const unserved: Readonly<Record<string, readonly string[]>> = {
  'recommendations of practices': [
    'POST /api/patterns/recommendations',
    'GET /api/patterns/recommendations/active',
    'POST /api/patterns/recommendations/match',
    'GET /api/patterns/recommendations/pending',
    'PATCH /api/patterns/recommendations/{id}/approve',
    'PATCH /api/patterns/recommendations/{id}/dismiss',
    'PATCH /api/patterns/recommendations/{id}/pause',
  ],
  'alerts of an operator': [
    'GET /api/alerts/active',
    'GET /api/admin/alerts',
    'POST /api/admin/alerts',
    'GET /api/admin/alerts/{id}',
    'PATCH /api/admin/alerts/{id}',
    'DELETE /api/admin/alerts/{id}',
  ],
  invitations: [
    'GET /api/admin/gate',
    'POST /api/admin/gate',
    'GET /api/admin/invites',
    'POST /api/admin/invites',
    'GET /api/admin/invites/stats',
    'GET /api/admin/invites/{code}',
    'DELETE /api/admin/invites/{code}',
    'GET /api/invites/gate-status',
    'POST /api/invites/validate',
  ],
  billing: [
    'GET /api/billing/overview',
    'POST /api/billing/checkout',
    'POST /api/billing/portal',
    'GET /api/billing/invoices',
    'GET /api/billing/payment-methods',
    'POST /api/billing/payment-methods/{id}/default',
    'DELETE /api/billing/payment-methods/{id}',
    'GET /api/billing/subscription',
    'POST /api/billing/subscription/cancel',
    'POST /api/billing/subscription/reactivate',
    'POST /api/billing/webhooks',
  ],
  'accounts that change over HTTP': [
    'PATCH /api/users/me',
    'POST /api/users/me/deletion',
    'DELETE /api/users/me/deletion',
    'POST /api/users/sync',
    'GET /api/users/{id}',
  ],
  'administration over HTTP': [
    'GET /api/admin/memories/{id}/pipeline-status',
    'POST /api/admin/memories/{id}/rerun',
    'GET /api/admin/pipeline/health',
    'POST /api/admin/migrate/encryption-backfill',
    'POST /api/admin/migrate/per-stage-status',
  ],
  'mail to its makers': ['POST /api/feedback'],
};

/** An operation, such as `POST /api/patterns/detect`, and the feature that the service would need for it. */
interface UnservedOperation {
  readonly operation: string;
  readonly lacking: string;
}

export const unservedOperations: readonly UnservedOperation[] = Object.entries(unserved).flatMap(
  ([lacking, operations]) => operations.map((operation) => ({ operation, lacking })),
);

const isFixed = ({ operation }: UnservedOperation) => !operation.includes('{');
const fixed = new Map(unservedOperations.filter(isFixed).map((each) => [each.operation, each]));
const patterns = unservedOperations
  .filter((each) => !isFixed(each))
  .map((each) => ({ each, pattern: new RegExp(`^${each.operation.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/**
 * Whether the router may have read the last word of an unserved
 * operation as an id; cheap, for it runs on every request.
 */
function isUnservedWord(method: string, path: string): boolean {
  return fixed.has(`${method} ${path}`);
}

/**
 * The unserved operation that a request without an endpoint
 * asks for; undefined if clients know none of this path.
 */
function unservedOperation(method: string, path: string): UnservedOperation | undefined {
  const asked = `${method} ${path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path}`;
  return fixed.get(asked) ?? patterns.find(({ pattern }) => pattern.test(asked))?.each;
}
