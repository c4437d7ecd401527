import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ToolCall } from '../../../mcp/call-tool.ts';
import { createMcpServer } from '../../../mcp/server.ts';
import { toLoggedFailure } from '../../log.ts';
import type { AppServices } from '../../services.ts';

export interface McpResponse {
  readonly status: number;
  readonly text: string;
}

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly services: AppServices;
  readonly sessionId: string | undefined;
  readonly showsKnownNames: boolean;
  readonly onCall: (call: ToolCall) => void;
}

/**
 * The first call runs in the turn of the request; each further
 * one waits for the one before and gets a turn of its own.
 */
function inTurnsOf(request: FastifyRequest, reply: FastifyReply) {
  let last: Promise<unknown> | undefined;
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = () => request.server.nextTurn(request, reply).then(work);
    const mine = last ? last.then(next, next) : work();
    last = mine;
    return mine;
  };
}

/**
 * Responds to one request with its own MCP server: concurrent requests of a client cannot mix up their ids.
 */
export async function exchange(exchanged: Exchange): Promise<McpResponse> {
  const { request, reply, services, sessionId, showsKnownNames, onCall } = exchanged;
  const server = createMcpServer({
    services,
    user: request.user,
    scopes: request.apiKey.scopes,
    sessionId: sessionId === undefined ? undefined : `mcp-${sessionId}`,
    showsKnownNames,
    inTurn: inTurnsOf(request, reply),
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
      // The address is unused; the body was read, limited and parsed before.
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
