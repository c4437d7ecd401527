import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../domain/shared/error-codes.ts';
import { AppError } from '../../../domain/shared/errors.ts';

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
export function toProtocolError(error: AppError, { id: requestId, body }: FastifyRequest) {
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
export const sessionNotFound = () =>
  new AppError(
    'MCP_SESSION_NOT_FOUND',
    'No valid session has this id: session expired, was ended, or belongs to another process. Initialize again.',
  );
