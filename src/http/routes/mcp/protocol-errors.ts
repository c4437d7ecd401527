import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../domain/shared/error-codes.ts';
import { AppError } from '../../../domain/shared/errors.ts';

/** Codes of JSON-RPC and MCP; every other failure is one of the server's own. */
const codes: Partial<Record<ErrorCode, number>> = {
  BODY_UNREADABLE: -32_700,
  INPUT_INVALID: -32_600,
  MCP_SESSION_NOT_FOUND: -32_001,
  INTERNAL: -32_603,
};
const serverError = -32_000;

/** Id of the message that failed, by which the client finds its call; null where it could not be read. */
function idOf(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}

/** A failure of the endpoint as a JSON-RPC error, with our own code and what else clients are told as its data. */
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

/** Clients look for these words to know that they are to initialize again. */
export const sessionNotFound = () =>
  new AppError(
    'MCP_SESSION_NOT_FOUND',
    'No valid session has this id: session expired, was ended, or belongs to another process. Initialize again.',
  );
