import type { FastifyInstance, FastifyLoggerOptions, FastifyReply, FastifyRequest } from 'fastify';
import type { LineOutput } from '../lib/buffered-output.ts';
import { globalPlugin } from './global-plugin.ts';

/** Loggable fields of a failure. The message is left out: a driver's may quote stored text. */
export function toLoggedFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return {};
  const { name: type, code, stack = '' } = error as Error & { code?: string };
  const places = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return { type, code, stack: places.join('\n') };
}

function failureIn(first: unknown): unknown {
  if (first instanceof Error) return first;
  return (first as { err?: unknown } | null | undefined)?.err;
}

type LogArguments = Parameters<(first: unknown, message?: string, ...rest: unknown[]) => void>;

/**
 * JSON lines. Errors that Fastify itself logs lose their
 * messages too: some quote the URL with its search text.
 */
export function logOptions(level: string, stream: LineOutput): FastifyLoggerOptions & { stream: LineOutput } {
  const hooks = {
    logMethod(this: unknown, args: LogArguments, method: (...args: LogArguments) => void) {
      const failure = failureIn(args[0]);
      if (failure === undefined) method.apply(this, args);
      else method.apply(this, [{ failure: toLoggedFailure(failure) }, 'failure reported by the framework']);
    },
  };
  return { level, base: undefined, stream, hooks } as FastifyLoggerOptions & { stream: LineOutput };
}

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
