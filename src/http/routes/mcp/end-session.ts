import { AppError } from '../../../domain/shared/errors.ts';
import type { Route } from '../../route-plugin.ts';
import { mcpErrorResponses, noContent } from '../../schemas/envelope.ts';
import { sessionNotFound, toProtocolError } from './protocol-errors.ts';
import { sessionIdOf } from './protocol-schemas.ts';
import type { McpSessions } from './sessions.ts';

/** DELETE /mcp: ends a session; memories stored in it stay. */
export function endSession(sessions: McpSessions): Route {
  return (app) => {
    app.delete(
      '/mcp',
      {
        config: { scope: 'read', errorBody: toProtocolError },
        schema: {
          operationId: 'endMcpSession',
          tags: ['MCP'],
          summary: 'End an MCP session',
          description: 'The session of Mcp-Session-Id ends; what was remembered in it stays.',
          response: { 204: noContent('Ended.'), ...mcpErrorResponses },
        },
      },
      async (request, reply) => {
        const id = sessionIdOf(request);
        if (id === undefined)
          throw new AppError('REQUEST_INVALID', 'Mcp-Session-Id must name the session to end.');
        if (!sessions.end(request.user.id, id)) throw sessionNotFound();
        return reply.code(204).send(null);
      },
    );
  };
}
