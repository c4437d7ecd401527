import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram } from 'prom-client';
import type { ErrorCode } from '../../../domain/shared/error-codes.ts';
import { AppError, invalidInput } from '../../../domain/shared/errors.ts';
import type { ToolCall } from '../../../mcp/call-tool.ts';
import { type Route, type RouteApp, Type } from '../../route-plugin.ts';
import { mcpErrorResponses, noContent } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import type { AppServices } from '../../services.ts';
import { localName } from '../public/public.ts';
import type { McpResponse } from './exchange.ts';

const sessionHeaders = Type.Object({
  'mcp-session-id': Type.Optional(
    Type.String({ description: 'The session, as the response to initialize gave it.' }),
  ),
});

/** Codes of JSON-RPC and MCP; every other failure gets the code for server errors. */
const codes: Partial<Record<ErrorCode, number>> = {
  BODY_UNREADABLE: -32_700,
  INPUT_INVALID: -32_600,
  MCP_SESSION_NOT_FOUND: -32_001,
  INTERNAL: -32_603,
};
const serverError = -32_000;

/** Id of the failed message, by which the client finds its call; null if it could not be read. */
function idOf(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}

/**
 * A failure of the endpoint as a JSON-RPC error, with our own code, details and `Retry-After` as its data.
 */
function toProtocolError(error: AppError, { id: requestId, body }: FastifyRequest) {
  const { message, code, details, retryAfter } = error;
  return {
    jsonrpc: '2.0',
    error: {
      code: codes[code] ?? serverError,
      message,
      data: {
        code,
        ...(details !== undefined && { details }),
        ...(retryAfter !== undefined && { retryAfter }),
        requestId,
      },
    },
    id: idOf(body),
  };
}

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counts calls by tool and outcome. */
function mcpMetrics(app: RouteApp): (call: ToolCall) => void {
  const registers = [app.metricsRegistry];
  const calls = new Counter({
    name: 'memoryd_mcp_calls_total',
    help: 'Calls of MCP tools: ok, error (the domain refused), refused (unknown tool, scope, arguments), failed.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'memoryd_mcp_call_seconds',
    help: 'Time that MCP tools took.',
    labelNames: ['tool'],
    buckets: bucketsSeconds,
    registers,
  });
  return ({ tool, outcome, ms }) => {
    calls.labels(tool, outcome).inc();
    seconds.labels(tool).observe(ms / 1000);
  };
}

interface PostMessageDeps {
  readonly services: AppServices;
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

const sessionIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The session that the request names. It is a name for the memories of one client and no more: no process
 * keeps it, so every process serves it. @throws 404 for an id that this service does not give
 */
function sessionIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string' || id === '') return undefined;
  if (sessionIdPattern.test(id)) return id;
  // Clients look for these words to know that they must initialize again.
  throw new AppError(
    'MCP_SESSION_NOT_FOUND',
    'No valid session has this id: session expired, or is of another service. Initialize again.',
  );
}

/** @throws 422 for an empty or long batch */
function assertBatch(body: unknown): void {
  const messages = Array.isArray(body) ? body.length : 1;
  if (messages < 1 || messages > batchMax)
    throw invalidInput('the body', `must have 1 to ${batchMax} messages`);
}

function sendResponse(reply: FastifyReply, { status, text, type }: McpResponse): FastifyReply {
  if (text === '') return reply.code(status).send();
  const raw = reply.code(status).type(type);
  return raw.serializer((json: unknown) => json as string).send(text);
}

/** POST /mcp: one message or a few; the response is JSON. */
function postMessage(app: RouteApp, { services, bodyLimit, onCall }: PostMessageDeps): void {
  app.post(
    '/mcp',
    {
      bodyLimit,
      // The scopes of the key are checked at each tool call.
      config: { scope: 'read', door: 'mcp', errorBody: toProtocolError, textsRead: ['params'] },
      schema: {
        operationId: 'postMcpMessage',
        tags: ['MCP'],
        summary: 'Send MCP messages',
        description:
          'Model Context Protocol over streamable HTTP, 2024-11-05 to 2026-07-28: JSON-RPC requests and notifications of an agent. ' +
          'docs/connect.md shows how to connect one.',
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
      assertBatch(request.body);
      const isFirst = isInitialize(request.body);
      const sessionId = isFirst ? undefined : sessionIdOf(request);
      const showsKnownNames = request.query.tools === 'all' || request.headers['x-mx-client'] !== undefined;
      // Imported after the start (`WarmUp`) or here: the SDK takes 20 MiB and a quarter of a second.
      const { exchange } = await import('./exchange.ts');
      const response = await exchange({ request, reply, services, sessionId, showsKnownNames, onCall });
      if (reply.sent) return reply;
      if (isFirst && response.isOpening) reply.header('Mcp-Session-Id', randomUUID());
      return sendResponse(reply, response);
    },
  );
}

export interface McpRouteOptions extends OriginOptions {
  readonly mcpBodyBytesMax: number;
}

/** The Model Context Protocol over streamable HTTP. */
export function mcpRoute(options: McpRouteOptions): Route {
  return (app, services) => {
    const assertOrigin = originCheck(options);
    app.addHook('onRequest', (request, _reply, done) => {
      try {
        if (request.routeOptions.url === '/mcp') assertOrigin(request);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
    postMessage(app, { services, bodyLimit: options.mcpBodyBytesMax, onCall: mcpMetrics(app) });
  };
}

export interface OriginOptions {
  readonly host: string;
  readonly corsOrigins: readonly string[];
  /** The address of this service on the Internet. */
  readonly publicUrl?: string;
  readonly trustedProxies: readonly string[];
}

/** Host name in an origin or a `Host` header. */
function nameIn(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase() : undefined;
}

const refused = (header: string, given: string, setting: string) =>
  new AppError(
    'ADDRESS_REFUSED',
    `${header} ${JSON.stringify(given.slice(0, 200))} may not use /mcp. ${setting}`,
  );

/**
 * Refuses requests that a web page sends through the operator's browser, as the protocol requires: an
 * `Origin` neither of this machine nor in `MEMORYD_CORS_ORIGINS`; and, if the service listens on this
 * machine alone and trusts no proxy, a `Host` that is neither: a page can point its own name here.
 * @throws 403
 */
export function originCheck({ host, corsOrigins, trustedProxies, publicUrl }: OriginOptions) {
  const isAny = corsOrigins.includes('*');
  const origins = new Set(corsOrigins.map((origin) => origin.toLowerCase()));
  const names = new Set([...corsOrigins, ...(publicUrl === undefined ? [] : [publicUrl])].map(nameIn));
  const isLocal = (name: string | undefined) => name !== undefined && localName.test(name);
  const looksAtHost = localName.test(host.includes(':') ? `[${host}]` : host) && trustedProxies.length === 0;
  return ({ headers }: FastifyRequest): void => {
    if (isAny) return;
    const { origin, host: sent } = headers;
    if (origin !== undefined && !origins.has(origin.toLowerCase()) && !isLocal(nameIn(origin)))
      throw refused('Origin', origin, 'MEMORYD_CORS_ORIGINS names the origins of pages that may.');
    const name = nameIn(`http://${sent ?? ''}`);
    if (looksAtHost && sent !== undefined && !isLocal(name) && !names.has(name))
      throw refused('Host', sent, 'Behind a proxy set MEMORYD_TRUSTED_PROXIES to its address.');
  };
}
