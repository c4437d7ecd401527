import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { sendError } from './error-handler.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a request whose path or method no endpoint has. */
    refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  }
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}

/** 404 for paths that no endpoint has, 405 with `Allow` for methods that a known path does not have. */
export const notFound = globalPlugin('not-found', async (app: FastifyInstance) => {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    // @fastify/cors answers preflights of every path there is; that makes no path known.
    if (url === '*') return;
    const path = known.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const name of [method].flat()) path.methods.add(name);
    known.set(url, path);
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0];
    const allowed = new Set(
      [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]),
    );
    if (allowed.size === 0)
      return sendError(request, reply, new AppError('ROUTE_NOT_FOUND', 'No endpoint has this path.'));
    const allow = [...allowed, 'OPTIONS'].sort().join(', ');
    reply.header('Allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return sendError(request, reply, new AppError('METHOD_NOT_ALLOWED', `This path has ${allow}.`));
  };
  app.decorate('refuseUnknown', refuse);
  app.setNotFoundHandler(refuse);
});
