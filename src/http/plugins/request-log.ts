import type { FastifyInstance } from 'fastify';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Names of the MCP tools that the request called. */
    tools: readonly string[] | undefined;
  }
}

/** One line a request: who asked (ids of user and key) and what, by route pattern, never by URL, header or body. */
export const requestLog = globalPlugin('request-log', async (app: FastifyInstance) => {
  app.decorateRequest('tools');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    app.log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ...(request.user !== undefined && { user: request.user.publicId, key: request.apiKey.id }),
        ...(request.tools !== undefined && { tools: request.tools }),
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
});
