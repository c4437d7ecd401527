import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { workPerByte } from './plugins/admission.ts';
import { loggedAppError } from './plugins/error-handler.ts';

/** How often, in ms, a comment says that the work goes on. */
const heartbeatMsMax = 10_000;

/**
 * How often a stream has a comment: often enough for a server that closes idle connections after `connectionTimeoutMs`.
 */
export function heartbeatMsOf(connectionTimeoutMs: number): number {
  return Math.min(heartbeatMsMax, connectionTimeoutMs / 2);
}

/** A response of server-sent events. */
class EventStream {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
  }

  begin(): void {
    this.#reply.hijack();
    this.#reply.raw.writeHead(200, {
      // What other plugins set for the client, such as the headers of CORS.
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

  /** @throws 503 where the user leaves too much unread */
  send(event: string, data: unknown): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#request.countUnread(this.#reply.raw, Buffer.byteLength(text));
    this.#request.running?.charge(text.length * workPerByte);
    this.#reply.raw.write(text);
  }

  end(): void {
    this.#reply.raw.end();
    // A client that is slow to read takes nobody's turn.
    this.#request.running?.end();
  }
}

export interface StreamOptions {
  readonly heartbeatMs: number;
}

/**
 * Responds with server-sent events: comments while `work` is done, then `result` with what it returns and `done`, or
 * `error` with `{error, code, statusCode}`. What is to be refused with a status of its own is refused before this is called.
 * @param work is given a signal that fires when the client goes away
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
    // Nobody is there to be told, and the work ended because of that.
    if (gone.signal.aborted) return;
    const { message: error, code, status: statusCode, retryAfter } = loggedAppError(request, thrown);
    stream.send('error', { error, code, statusCode, retryAfter, requestId: request.id });
  } finally {
    clearInterval(timer);
    stream.end();
  }
}
