import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { ErrorCode } from '../../../domain/shared/error-codes.ts';
import { AppError, invalidInput } from '../../../domain/shared/errors.ts';
import type { ToolCall } from '../../../mcp/call-tool.ts';
import { type Route, type RouteApp, Type } from '../../route-plugin.ts';
import { mcpErrorResponses, noContent } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import type { AppServices } from '../../services.ts';
import { localName } from '../public/public.ts';
import type { McpResponse } from './exchange.ts';
import { type McpSessionOptions, McpSessions } from './sessions.ts';

const sessionHeaders = Type.Object({
  'mcp-session-id': Type.Optional(
    Type.String({ description: 'The session, as the response to initialize gave it.' }),
  ),
});

function sessionIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

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

/** Clients look for these words to know that they must initialize again. */
const sessionNotFound = () =>
  new AppError(
    'MCP_SESSION_NOT_FOUND',
    'No valid session has this id: session expired, was ended, or belongs to another process. Initialize again.',
  );

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counts calls by tool and outcome, and shows the number of sessions. */
function mcpMetrics(app: RouteApp, sessions: { readonly size: number }): (call: ToolCall) => void {
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
  new Gauge({
    name: 'memoryd_mcp_sessions',
    help: 'MCP sessions.',
    registers,
    collect() {
      this.set(sessions.size);
    },
  });
  return ({ tool, outcome, ms }) => {
    calls.labels(tool, outcome).inc();
    seconds.labels(tool).observe(ms / 1000);
  };
}

interface PostMessageDeps {
  readonly services: AppServices;
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
function postMessage(app: RouteApp, { services, sessions, bodyLimit, onCall }: PostMessageDeps): void {
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
}

/**
 * GET /mcp: the event stream of a session. The server sends no messages of its own accord:
 * the stream has only keep-alive comments, and shows that the client is connected.
 */
function eventStream(app: RouteApp, sessions: McpSessions): void {
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
      // No work follows, so other requests get the turn.
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
}

/** DELETE /mcp: ends a session; memories stored in it stay. */
function endSession(app: RouteApp, sessions: McpSessions): void {
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
}

export interface McpRouteOptions extends McpSessionOptions, OriginOptions {
  readonly mcpBodyBytesMax: number;
  readonly connectionTimeoutMs: number;
}

const keepAliveMsMax = 15_000;

/** The Model Context Protocol over streamable HTTP. */
export function mcpRoute(options: McpRouteOptions): Route {
  return (app, services) => {
    const sessions = new McpSessions(options);
    const tick = () => {
      sessions.endIdle();
      sessions.keepAlive();
    };
    const timer = setInterval(tick, Math.min(keepAliveMsMax, options.connectionTimeoutMs / 2)).unref();
    // Open streams would make the stop wait.
    app.addHook('preClose', async () => {
      clearInterval(timer);
      sessions.endAll();
    });
    const assertOrigin = originCheck(options);
    app.addHook('onRequest', (request, _reply, done) => {
      try {
        if (request.routeOptions.url === '/mcp') assertOrigin(request);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
    const onCall = mcpMetrics(app, sessions);
    postMessage(app, { services, sessions, bodyLimit: options.mcpBodyBytesMax, onCall });
    eventStream(app, sessions);
    endSession(app, sessions);
  };
}

export interface OriginOptions {
  readonly host: string;
  readonly corsOrigins: readonly string[];
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
export function originCheck({ host, corsOrigins, trustedProxies }: OriginOptions) {
  const isAny = corsOrigins.includes('*');
  const origins = new Set(corsOrigins.map((origin) => origin.toLowerCase()));
  const names = new Set(corsOrigins.map(nameIn));
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
