import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Names of the MCP tools that the request called. */
    tools: readonly string[] | undefined;
    isLogged: boolean;
  }
}

/**
 * One line a request: ids of user and key, and the route pattern, never URL,
 * header or body. `cutOff` marks a response that its client did not get whole.
 */
export const requestLog = globalPlugin('request-log', async (app: FastifyInstance) => {
  app.decorateRequest('tools');
  app.decorateRequest('isLogged', false);
  const logOnce = (request: FastifyRequest, reply: FastifyReply, cutOff?: true) => {
    if (request.isLogged) return;
    request.isLogged = true;
    app.log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        // Undefined members are left out of the line.
        user: request.user?.publicId,
        key: request.apiKey?.id,
        tools: request.tools,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        cutOff,
      },
      'request',
    );
  };
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    // Fastify runs `onResponse` only if the whole response was sent.
    request.whenClosed(() => {
      if (!reply.raw.writableFinished) logOnce(request, reply, true);
    });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logOnce(request, reply);
    for (const { code, times } of app.storeStates.ended(request, reply))
      app.log.info({ code, times }, 'the store takes writes again');
    done();
  });
});
