import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ErrorObject } from 'ajv';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/shared/error-codes.ts';
import { AppError } from '../domain/shared/errors.ts';
import { rootCodeOf } from '../lib/failure-log.ts';
import { globalPlugin } from './global-plugin.ts';
import { AlreadyRespondedError, replay } from './keyed-act.ts';
import { toLoggedFailure } from './log.ts';
import { toInputError } from './schema-compilers.ts';

/** Header `WWW-Authenticate` of a refused request to `/mcp`; `error` is a code of RFC 6750, if a token was sent. */
export type Challenge = (error?: 'invalid_token' | 'insufficient_scope') => string;

declare module 'fastify' {
  interface FastifyInstance {
    readonly storeStates: StoreStates;
    readonly challenge: Challenge | undefined;
  }
  interface FastifyContextConfig {
    /** The error body of routes whose clients expect another format. */
    errorBody?: (error: AppError, request: FastifyRequest) => unknown;
  }
}

interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly details?: unknown;
  readonly retryAfter?: number;
  readonly requestId: string;
}

/** Error codes and messages for requests that Fastify itself refuses. */
const frameworkFailures: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['BODY_UNREADABLE', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['BODY_UNREADABLE', 'The body is empty.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['REQUEST_INVALID', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this server takes.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'The body must be sent as application/json.'],
  FST_CP_ERR_INVALID_CONTENT: ['BODY_UNREADABLE', 'The body is not encoded as Content-Encoding says.'],
  FST_CP_ERR_INVALID_CONTENT_ENCODING: [
    'MEDIA_TYPE_UNSUPPORTED',
    'The body must be sent plain or with a Content-Encoding that this server reads.',
  ],
  FST_ERR_BAD_URL: ['REQUEST_INVALID', 'The URL cannot be read.'],
  FST_ERR_MAX_PARAM_LENGTH: ['REQUEST_INVALID', 'A part of the path is too long.'],
};

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code = '', statusCode, validation, validationContext } = error as FastifyError;
  if (validation) return toInputError(validation as ErrorObject[], validationContext ?? 'body') as AppError;
  const known = frameworkFailures[code];
  if (known) return new AppError(known[0], known[1]);
  if (error instanceof SyntaxError && statusCode === 400)
    return new AppError('BODY_UNREADABLE', 'The body is not valid JSON.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('REQUEST_INVALID', 'The request cannot be read.', { cause: error });
  }
  return new AppError('INTERNAL', 'Something went wrong in the server.', { cause: error });
}

export function toErrorBody(error: AppError, requestId: string): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    ...(error.details !== undefined && { details: error.details }),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    requestId,
  };
}

/** The error that the client gets; server faults are logged. */
export function loggedAppError(request: FastifyRequest, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code === 'OVERLOADED' || error.code === 'SERVER_STOPPING') {
    // Refused before any work, perhaps thousands a second: logged without failure and stack.
    request.log.warn({ requestId: request.id, code: error.code }, 'request refused');
  } else if (error.status >= 500) {
    const times = request.server.storeStates.refused(error);
    const line = { requestId: request.id, code: error.code, times };
    if (times === 0) request.log.debug(line, 'request failed like others');
    else request.log.error({ ...line, failure: toLoggedFailure(error.cause ?? error) }, 'request failed');
  }
  return error;
}

/** `WWW-Authenticate` of a refusal; of `/mcp` it names the metadata that OAuth clients begin with. */
function challengeTo(request: FastifyRequest, { status, code }: AppError): string | undefined {
  const challenge = request.routeOptions.url === '/mcp' ? request.server.challenge : undefined;
  if (status === 401) {
    const wasSent = request.headers.authorization !== undefined;
    return challenge?.(wasSent ? 'invalid_token' : undefined) ?? 'Bearer';
  }
  return code === 'SCOPE_REQUIRED' ? challenge?.('insufficient_scope') : undefined;
}

/** Sends every error response. */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = loggedAppError(request, thrown);
  if (error.retryAfter !== undefined) reply.header('Retry-After', String(Math.ceil(error.retryAfter)));
  const challenge = challengeTo(request, error);
  if (challenge !== undefined) reply.header('WWW-Authenticate', challenge);
  reply.header('X-Request-Id', request.id);
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(request.routeOptions.config.errorBody?.(error, request) ?? toErrorBody(error, request.id));
}

interface ErrorOptions {
  /** Undefined if OAuth is off. */
  readonly challenge: Challenge | undefined;
}

export const errorHandler = globalPlugin<ErrorOptions>('error-handler', async (app, { challenge }) => {
  app.decorate('storeStates', new StoreStates());
  app.decorate('challenge', challenge);
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion !== '1.1' || headers.host !== undefined) done();
    else done(new AppError('REQUEST_INVALID', 'A request must have a Host header.'));
  });
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof AlreadyRespondedError)) return sendError(request, reply, error);
    if (request.keyed) request.keyed.stored = error.response;
    return replay(reply, error.response);
  });
});

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function failureOf(code: string | undefined): { status: number; error: AppError } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, error: new AppError('HEADERS_TOO_LARGE', 'The request headers are too large.') };
  }
  const late = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const text = late ? 'The request was not sent in time.' : 'The request is not valid HTTP.';
  return { status: late ? 408 : 400, error: new AppError('REQUEST_INVALID', text) };
}

interface BrokenRequest extends Error {
  readonly code?: string;
  /** The bytes read before the parser failed. */
  readonly rawPacket?: unknown;
}

/** Sends the usual error body for bytes that Node cannot parse as a request. */
export function respondToBrokenRequest(cause: BrokenRequest, socket: Socket): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, error } = failureOf(cause.code);
  // A response to HEAD has no body. `rawPacket` shows the method if it contains the beginning of the request.
  const { rawPacket } = cause;
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.toString('latin1', 0, 5) === 'HEAD ';
  const body = isHead ? '' : JSON.stringify(toErrorBody(error, requestId));
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** States of the store in which all requests fail for the same reason. */
const codes: ReadonlySet<ErrorCode> = new Set(['STORAGE_FULL', 'STORAGE_UNAVAILABLE']);
const lineEveryMs = 60_000;
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface State {
  readonly code: ErrorCode;
  isOpen: boolean;
  /** Whether a line was logged since the state began. */
  isLogged: boolean;
  loggedAt: number;
  /** Refused requests that are in no log line yet. */
  unlogged: number;
}

/** The end of a state, for the log, with the refused requests that are in no log line yet. */
interface StateEnd {
  readonly code: ErrorCode;
  readonly times: number;
}

/**
 * Decides the log lines about a full disk or an unreachable store: its beginning, once a minute the number
 * of refusals, and its end. A state that ends and begins again within the minute is counted, not logged.
 */
export class StoreStates {
  readonly #now: () => number;
  /** By code and cause. */
  readonly #states = new Map<string, State>();
  #open = 0;

  /** @param now a monotonic clock in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * @returns number of refused requests for a log line, this one
   * included; 0 for no line; undefined if the error is no such state
   */
  refused(error: AppError): number | undefined {
    const { code } = error;
    if (!codes.has(code)) return undefined;
    const state = this.#stateOf(code, rootCodeOf(error));
    if (!state.isOpen) this.#open++;
    state.isOpen = true;
    state.unlogged++;
    if (this.#now() - state.loggedAt < lineEveryMs) return 0;
    const times = state.unlogged;
    Object.assign(state, { isLogged: true, loggedAt: this.#now(), unlogged: 0 });
    return times;
  }

  /** Ends the states if the request wrote to the store. @returns those to be logged */
  ended({ method, routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply): StateEnd[] {
    if (this.#open === 0 || statusCode >= 300) return [];
    if (reading.has(method) || config.public || config.scope === 'read') return [];
    this.#open = 0;
    const ends: StateEnd[] = [];
    for (const state of this.#states.values()) {
      state.isOpen = false;
      if (!state.isLogged) continue;
      ends.push({ code: state.code, times: state.unlogged });
      Object.assign(state, { isLogged: false, unlogged: 0 });
    }
    return ends;
  }

  #stateOf(code: ErrorCode, cause: string): State {
    const key = `${code} ${cause}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state = { code, isOpen: false, isLogged: false, loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    this.#states.set(key, state);
    return state;
  }
}
