import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { isUnservedWord, type UnservedOperation, unservedOperation } from '../unserved-operations.ts';
import { sendError } from './error-handler.ts';
import { globalPlugin } from './global-plugin.ts';
import { KnownPaths } from './known-paths.ts';

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
export const notFound = globalPlugin('not-found', async (app: FastifyInstance) => {
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
