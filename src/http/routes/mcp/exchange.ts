import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { ToolCall } from '../../../mcp/call-tool.ts';
import { createMcpServer } from '../../../mcp/server.ts';
import { toLoggedFailure } from '../../log.ts';
import type { AppServices } from '../../services.ts';

export interface McpResponse {
  readonly status: number;
  /** Empty: the response has no body. */
  readonly text: string;
  /** Content type of the text. */
  readonly type: string;
  /** Whether a client of 2025 begins its session with this response. */
  readonly isOpening: boolean;
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

/** Headers of the protocol that its SDK compares with the message. */
const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** The request as the SDK reads it: the address is unused; the body was read, limited and parsed before. */
function toWebRequest({ headers }: Pick<FastifyRequest, 'headers'>): Request {
  const passed = protocolHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return new Request('http://memoryd.invalid/mcp', {
    method: 'POST',
    headers: [
      ['accept', 'application/json, text/event-stream'],
      ['content-type', 'application/json'],
      ...passed.map(([name, value]): [string, string] => [name, value]),
    ],
  });
}

/** Serves a message of 2025 or before, or a list of them. */
async function serveLegacy(factory: McpServerFactory, request: Request, parsedBody: unknown) {
  const server = await factory({ era: 'legacy' });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(request, { parsedBody });
    return { response, text: await response.text() };
  } finally {
    await server.close();
  }
}

/** Serves a message of 2026, which carries its version and the abilities of its client. */
async function serveModern(factory: McpServerFactory, request: Request, parsedBody: unknown) {
  const handler = createMcpHandler(factory, { legacy: 'reject', keepAliveMs: 0 });
  try {
    const response = await handler.fetch(request, { parsedBody });
    // A stream of changes ends at once: this server announces none.
    return { response, text: await response.text() };
  } finally {
    await handler.close();
  }
}

/** The search of a hook before a prompt, without a request: run after a start, so that V8 compiles its code. */
export async function searchAsAgent(services: AppServices, user: UserRef, query: string): Promise<void> {
  const factory = () =>
    createMcpServer({
      services,
      user,
      scopes: ['read'],
      sessionId: undefined,
      showsKnownNames: false,
      inTurn: (work) => work(),
      onCall: () => undefined,
      onFailure: (error) => services.system.failures.failed('warm_up', error),
    });
  const params = { name: 'search', arguments: { query } };
  await serveLegacy(factory, toWebRequest({ headers: {} }), {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params,
  });
}

/**
 * Responds to one request with its own MCP server: concurrent requests of a client cannot mix up their ids.
 */
export async function exchange(exchanged: Exchange): Promise<McpResponse> {
  const { request, reply, services, sessionId, showsKnownNames, onCall } = exchanged;
  const factory = () =>
    createMcpServer({
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
  const web = toWebRequest(request);
  const body = request.body ?? null;
  const isLegacy = await isLegacyRequest(web, body);
  const { response, text } = await (isLegacy ? serveLegacy : serveModern)(factory, web, body);
  const type = response.headers.get('content-type') ?? 'application/json';
  return { status: response.status, text, type, isOpening: isLegacy && response.status === 200 };
}
