import type { FastifyInstance } from 'fastify';
import { globalPlugin } from './global-plugin.ts';

/** One line a request: what was asked by route pattern, never by URL, header or body. */
export const requestLog = globalPlugin('request-log', async (app: FastifyInstance) => {
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
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
});
