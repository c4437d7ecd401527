import { AppError } from '../../../domain/shared/errors.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { mcpErrorResponses } from '../../schemas/envelope.ts';
import { sessionNotFound, toProtocolError } from './protocol-errors.ts';
import { sessionHeaders, sessionIdOf } from './protocol-schemas.ts';
import type { McpSessions } from './sessions.ts';

/**
 * GET /mcp: the event stream of a session. The server sends no messages of its own accord:
 * the stream has only keep-alive comments, and shows that the client is connected.
 */
export function eventStream(sessions: McpSessions): Route {
  return (app) => {
    app.get(
      '/mcp',
      {
        exposeHeadRoute: false,
        config: { errorBody: toProtocolError },
        schema: {
          operationId: 'getMcpEvents',
          tags: ['MCP'],
          summary: 'Open the event stream of an MCP session',
          description:
            'Model Context Protocol over streamable HTTP. The server has nothing to send of its own accord; ' +
            'comments keep the stream open.',
          headers: sessionHeaders,
          response: {
            200: Type.String({ description: 'text/event-stream, until the client or the session ends.' }),
            ...mcpErrorResponses,
          },
        },
      },
      async (request, reply) => {
        const id = sessionIdOf(request);
        if (!request.headers.accept?.includes('text/event-stream'))
          throw new AppError(
            'REQUEST_INVALID',
            'GET /mcp is an event stream: Accept must name text/event-stream.',
          );
        if (id === undefined)
          throw new AppError(
            'METHOD_NOT_ALLOWED',
            'There is an event stream for sessions only: initialize first.',
          );
        if (!sessions.attach(request.user.id, id, reply.raw)) throw sessionNotFound();
        reply.hijack();
        // No work follows: the turn goes to other requests.
        request.running?.end();
        reply.raw.writeHead(200, {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-cache, no-transform',
          'X-Accel-Buffering': 'no',
          'X-Request-Id': request.id,
          'Mcp-Session-Id': id,
        });
        reply.raw.write(': open\n\n');
        return reply;
      },
    );
  };
}
