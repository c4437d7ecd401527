import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidInput } from '../../../domain/shared/errors.ts';
import type { ToolCall } from '../../../mcp/server-deps.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { mcpErrorResponses, noContent } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import type { McpResponse } from './exchange.ts';
import { sessionNotFound, toProtocolError } from './protocol-errors.ts';
import { sessionHeaders, sessionIdOf } from './protocol-schemas.ts';
import type { McpSessions } from './sessions.ts';

export interface PostMessageDeps {
  readonly sessions: McpSessions;
  readonly bodyLimit: number;
  readonly onCall: (call: ToolCall) => void;
}

const batchMax = 20;

const Body = Type.Unsafe<unknown>({
  description: 'A JSON-RPC message of the Model Context Protocol, or a list of at most 20.',
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
});

const Query = Type.Object({
  tools: Type.Optional(
    oneOf(['own', 'all'], {
      description: 'all: lists the tools by the names that other clients of this API use, too.',
    }),
  ),
});

function isInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
}

/**
 * The id of the session in the request, marked as used. @throws 404 if
 * the user has no session of this id, 422 for an empty or long batch
 */
function usedSession(sessions: McpSessions, request: FastifyRequest): string | undefined {
  const messages = Array.isArray(request.body) ? request.body.length : 1;
  if (messages < 1 || messages > batchMax)
    throw invalidInput('the body', `must have 1 to ${batchMax} messages`);
  const id = sessionIdOf(request);
  if (id !== undefined && !sessions.use(request.user.id, id)) throw sessionNotFound();
  return id;
}

function sendResponse(reply: FastifyReply, { status, text }: McpResponse): FastifyReply {
  if (text === '') return reply.code(status).send();
  const raw = reply.code(status).type('application/json; charset=utf-8');
  return raw.serializer((json: unknown) => json as string).send(text);
}

/** POST /mcp: one message or a few; the response is JSON. */
export function postMessage({ sessions, bodyLimit, onCall }: PostMessageDeps): Route {
  return (app, services) => {
    app.post(
      '/mcp',
      {
        bodyLimit,
        // The scopes of the key are checked at each tool call.
        config: { scope: 'read', errorBody: toProtocolError, textsRead: ['params'] },
        schema: {
          operationId: 'postMcpMessage',
          tags: ['MCP'],
          summary: 'Send MCP messages',
          description:
            'Model Context Protocol over streamable HTTP: JSON-RPC requests and notifications of an agent. ' +
            'docs/agents.md shows how to connect one.',
          headers: sessionHeaders,
          querystring: Query,
          body: Body,
          response: {
            200: Type.Unsafe({ description: 'The responses to the requests.' }),
            202: noContent('Nothing but notifications came; there is nothing to say.'),
            ...mcpErrorResponses,
          },
        },
      },
      async (request, reply) => {
        const { user, query } = request;
        const isFirst = isInitialize(request.body);
        const sessionId = isFirst ? undefined : usedSession(sessions, request);
        const showsKnownNames = query.tools === 'all' || request.headers['x-mx-client'] !== undefined;
        // Imported at the first request: the SDK takes 20 MiB and a quarter of a second of the start.
        const { exchange } = await import('./exchange.ts');
        const response = await exchange({ request, reply, services, sessionId, showsKnownNames, onCall });
        if (reply.sent) return reply;
        const opened = isFirst && response.status === 200 ? sessions.open(user.id) : undefined;
        if (opened !== undefined) reply.header('Mcp-Session-Id', opened);
        return sendResponse(reply, response);
      },
    );
  };
}
