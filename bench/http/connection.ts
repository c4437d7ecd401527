import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A request; `body` is sent as JSON. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

interface Timed {
  status: number;
  /** From the first byte sent to the last byte received. */
  ms: number;
  /** The body's text. */
  text: string;
}

/** One kept-alive connection that sends one request after another. */
export interface Connection {
  call(call: Call): Promise<Timed>;
  close(): void;
}

const responseDeadlineMs = 60_000;
const headEnd = Buffer.from('\r\n\r\n');

/**
 * Opens a connection to a server's URL. Uses a bare socket because the client
 * shares two cores with the measured server: a full HTTP client would cost more
 * than the floor itself. Responses must have `Content-Length`.
 */
export async function openConnection(url: string, key?: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const responses = new ResponseReader(socket);
  const shared = `Host: ${host}\r\n${key ? `Authorization: Bearer ${key}\r\n` : ''}`;
  return {
    call: async ({ method, path, body }) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const type = body === undefined ? '' : 'Content-Type: application/json\r\n';
      const head = `${method} ${path} HTTP/1.1\r\n${shared}${type}`;
      const started = performance.now();
      socket.write(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      const response = await responses.next();
      return { ...response, ms: performance.now() - started };
    },
    close: () => socket.destroy(),
  };
}

/** Splits the bytes of a socket into responses, one at a time. */
class ResponseReader {
  #received: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  #waiting:
    | { resolve(response: { status: number; text: string }): void; reject(error: Error): void }
    | undefined;

  constructor(socket: Socket) {
    socket.setTimeout(responseDeadlineMs, () => socket.destroy(new Error('no answer within 60 s')));
    socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#finish();
    });
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  next(): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#failure) this.#fail(this.#failure);
    });
  }

  #finish(): void {
    const headLength = this.#received.indexOf(headEnd);
    if (headLength === -1) return;
    const head = this.#received.toString('latin1', 0, headLength);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without Content-Length:\n${head}`));
      return;
    }
    const start = headLength + headEnd.length;
    const end = start + Number(length);
    if (this.#received.length < end) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.#received.toString('utf8', start, end) };
    this.#received = this.#received.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}

export interface Responded<T> {
  body: T;
  /** Time from the first attempt to the response, waits included. */
  ms: number;
  /** Number of 503 responses. */
  refusals: number;
}

const attemptsMax = 20;

/**
 * Sends a request as a client does: after a 503 it waits for `retryAfter` and tries again.
 * The time of the call includes the waits, so that refusing work never looks fast.
 *
 * @throws Error if the status is neither `expected` nor 503, or 503 for the 20th time
 */
export async function callUntilResponse<T>(
  connection: Connection,
  call: Call,
  expected: number,
): Promise<Responded<T>> {
  const started = performance.now();
  for (let refusals = 0; ; refusals += 1) {
    const { status, text } = await connection.call(call);
    if (status === expected)
      return { ms: performance.now() - started, refusals, body: JSON.parse(text) as T };
    if (status !== 503 || refusals + 1 === attemptsMax)
      throw new Error(`${call.method} ${call.path} answered ${status}: ${text.slice(0, 500)}`);
    const { retryAfter } = JSON.parse(text) as { retryAfter?: number };
    await delay((retryAfter ?? 1) * 1000);
  }
}
