import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextEvent } from '../lib/async.ts';
import { loggedAppError } from './errors.ts';
import { workPerByte } from './load/admission.ts';

/** Longest time between heartbeat comments, in ms. */
const heartbeatMsMax = 10_000;

/**
 * Time between heartbeat comments: short enough for a server
 * that closes idle connections after `connectionTimeoutMs`.
 */
export function heartbeatMsOf(connectionTimeoutMs: number): number {
  return Math.min(heartbeatMsMax, connectionTimeoutMs / 2);
}

/** A response of server-sent events. */
export class EventStream {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
  }

  begin(): void {
    this.#reply.hijack();
    this.#reply.raw.writeHead(200, {
      // Headers that other plugins set, such as those of CORS.
      ...(this.#reply.getHeaders() as OutgoingHttpHeaders),
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.beat();
  }

  beat(): void {
    this.#reply.raw.write(': heartbeat\n\n');
  }

  /** @throws 503 if the user leaves too many bytes unread */
  send(event: string, data: unknown, id?: string): void {
    const named = id === undefined ? '' : `\nid: ${id}`;
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}${named}\n\n`;
    this.#request.countUnread(this.#reply.raw, Buffer.byteLength(text));
    this.#request.running?.charge(text.length * workPerByte);
    this.#reply.raw.write(text);
  }

  /** A stream that mostly waits is no request in work: background work goes on, and other requests have turns. */
  stopCounting(): void {
    this.#request.running?.end();
    this.#request.endCount?.();
  }

  /** @returns false if the client does not read the sent bytes within `ms` */
  async drained(ms: number, signal: AbortSignal): Promise<boolean> {
    const { raw } = this.#reply;
    if (raw.writableNeedDrain) await nextEvent(raw, 'drain', ms, signal);
    return signal.aborted || !raw.writableNeedDrain;
  }

  end(): void {
    this.#reply.raw.end();
    // The turn ends before the events are sent, so a slow reader blocks no other request.
    this.#request.running?.end();
  }
}

interface StreamOptions {
  readonly heartbeatMs: number;
}

/**
 * Responds with server-sent events: comments during `work`, then `result`
 * with its value and `done`, or `error` with `{error, code, statusCode}`.
 * Refusals that need a status of their own must happen before the call.
 * @param work receives a signal that fires when the client disconnects
 */
export async function streamResult(
  request: FastifyRequest,
  reply: FastifyReply,
  { heartbeatMs }: StreamOptions,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const stream = new EventStream(request, reply);
  stream.begin();
  const timer = setInterval(() => stream.beat(), heartbeatMs);
  try {
    stream.send('result', await work(gone.signal));
    stream.send('done', {});
  } catch (thrown) {
    // The client disconnected, which ended the work: no event can be sent.
    if (gone.signal.aborted) return;
    const { message: error, code, status: statusCode, retryAfter } = loggedAppError(request, thrown);
    stream.send('error', { error, code, statusCode, retryAfter, requestId: request.id });
  } finally {
    clearInterval(timer);
    stream.end();
  }
}
