import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { createMcpServer } from '../../../mcp/server.ts';
import type { ToolCall } from '../../../mcp/server-deps.ts';
import { toLoggedFailure } from '../../log-options.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { mcpErrorResponses, noContent } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import type { AppServices } from '../../services.ts';
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

/** The session that the request names, noted as used. @throws 404 where the user has none such, 422 for an empty or long batch */
function usedSession(sessions: McpSessions, request: FastifyRequest): string | undefined {
  const messages = Array.isArray(request.body) ? request.body.length : 1;
  if (messages < 1 || messages > batchMax)
    throw invalidInput('the body', `must have 1 to ${batchMax} messages`);
  const id = sessionIdOf(request);
  if (id !== undefined && !sessions.use(request.user.id, id)) throw sessionNotFound();
  return id;
}

interface McpResponse {
  readonly status: number;
  readonly text: string;
}

function sendResponse(reply: FastifyReply, { status, text }: McpResponse): FastifyReply {
  if (text === '') return reply.code(status).send();
  const raw = reply.code(status).type('application/json; charset=utf-8');
  return raw.serializer((json: unknown) => json as string).send(text);
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly services: AppServices;
  readonly sessionId: string | undefined;
  readonly showsKnownNames: boolean;
  readonly onCall: (call: ToolCall) => void;
}

/** Has a server of its own answer one request: concurrent requests of a client cannot mix up their ids. */
async function exchange(exchanged: Exchange): Promise<McpResponse> {
  const { request, services, sessionId, showsKnownNames, onCall } = exchanged;
  const server = createMcpServer({
    services,
    user: request.user,
    scopes: request.apiKey.scopes,
    sessionId: sessionId === undefined ? undefined : `mcp-${sessionId}`,
    showsKnownNames,
    onCall: (call) => {
      request.tools = [...(request.tools ?? []), call.tool];
      onCall(call);
    },
    onFailure: (error) =>
      request.log.error({ requestId: request.id, failure: toLoggedFailure(error) }, 'an MCP call failed'),
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const version = request.headers['mcp-protocol-version'];
    const response = await transport.handleRequest(
      // The address is not looked at; the body was read, bounded and parsed before.
      new Request('http://memoryd.invalid/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
        },
      }),
      { parsedBody: request.body },
    );
    return { status: response.status, text: await response.text() };
  } finally {
    await server.close();
  }
}

/** POST /mcp: one message or a few, answered as JSON. */
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
        const response = await exchange({ request, services, sessionId, showsKnownNames, onCall });
        if (reply.sent) return reply;
        const opened = isFirst && response.status === 200 ? sessions.open(user.id) : undefined;
        if (opened !== undefined) reply.header('Mcp-Session-Id', opened);
        return sendResponse(reply, response);
      },
    );
  };
}
