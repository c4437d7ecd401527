import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '../domain/shared/errors.ts';
import { toErrorBody } from './plugins/error-handler.ts';

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
