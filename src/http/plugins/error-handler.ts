import type { ErrorObject } from 'ajv';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../domain/shared/error-codes.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { AlreadyRespondedError } from '../keyed-act.ts';
import { toLoggedFailure } from '../log-options.ts';
import { replay } from '../repeats.ts';
import { StoreStates } from '../store-states.ts';
import { toInputError } from '../validation.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly storeStates: StoreStates;
  }
  interface FastifyContextConfig {
    /** The error body of routes whose clients expect another format. */
    errorBody?: (error: AppError, request: FastifyRequest) => unknown;
  }
}

export interface ErrorBody {
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

export function toAppError(error: unknown): AppError {
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

/** Sends every error response. */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = loggedAppError(request, thrown);
  if (error.retryAfter !== undefined) reply.header('Retry-After', String(Math.ceil(error.retryAfter)));
  if (error.status === 401) reply.header('WWW-Authenticate', 'Bearer');
  reply.header('X-Request-Id', request.id);
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(request.routeOptions.config.errorBody?.(error, request) ?? toErrorBody(error, request.id));
}

export const errorHandler = globalPlugin('error-handler', async (app: FastifyInstance) => {
  app.decorate('storeStates', new StoreStates());
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
