import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { isRead } from '../is-read.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** A 503 while the user leaves as much unread as one may, and asks for more to read. */
    refusalOfUnread(): AppError | undefined;
    /**
     * Counts bytes that are about to be written as unread until `response` closes. Responses that Fastify sends are counted
     * by themselves; this is for those that a route writes.
     * @throws 503 where the user would leave more unread than one may
     */
    countUnread(response: ServerResponse, bytes: number): void;
  }
}

export interface UnreadOptions {
  /** MiB, in all and for one user or, without a key, one address. */
  readonly unreadResponsesMb: number;
  readonly unreadResponsesPerUserMb: number;
  /** A client that takes nothing of a response for so long is disconnected. */
  readonly responseTimeoutMs: number;
}

interface Unread {
  readonly owner: string;
  readonly socket: Socket;
  readonly bytes: number;
}

const megabyte = 1024 * 1024;
const retryAfter = 2;
/** Smaller responses are not counted: a connection has few of them at once, since Node reads no further request of it. */
const countedFromBytes = 65_536;
/** In UTF-16 units. 8 MiB took 16 ms to be turned into JSON and 21 ms to be sent: what waits runs between the two. */
const sentInNextTurnFrom = 1024 * 1024;

function tooMuch(): AppError {
  return new AppError('OVERLOADED', 'Responses that were sent before have not been read yet.', {
    retryAfter,
  });
}

/** Responses that were written and that the system has not yet taken for the client, oldest first. */
class UnreadResponses {
  readonly #max: number;
  readonly #ownMax: number;
  readonly #all = new Set<Unread>();
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor({ unreadResponsesMb, unreadResponsesPerUserMb }: UnreadOptions) {
    this.#max = unreadResponsesMb * megabyte;
    this.#ownMax = unreadResponsesPerUserMb * megabyte;
  }

  get bytes(): number {
    return this.#bytes;
  }

  mayAdd(owner: string, bytes: number): boolean {
    const own = this.#byOwner.get(owner) ?? 0;
    return own === 0 || own + bytes <= this.#ownMax;
  }

  add(unread: Unread): void {
    this.#all.add(unread);
    this.#count(unread.owner, unread.bytes);
    while (this.#bytes > this.#max && this.#all.size > 1) this.#disconnectOldest();
  }

  remove(unread: Unread): void {
    if (this.#all.delete(unread)) this.#count(unread.owner, -unread.bytes);
  }

  #count(owner: string, bytes: number): void {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
    this.#bytes += bytes;
  }

  /** Disconnects the clients of the user with the most unread bytes; they may send their requests again. */
  #disconnectOldest(): void {
    const [[most]] = [...this.#byOwner].sort((a, b) => b[1] - a[1]);
    for (const unread of this.#all) {
      if (unread.owner !== most) continue;
      this.remove(unread);
      unread.socket.destroy();
      return;
    }
  }
}

function ownerOf({ user, ip }: FastifyRequest): string {
  return user === undefined ? `address ${ip}` : `user ${user.id}`;
}

/** Bounds the memory of responses that nobody reads. */
export const unreadResponses = globalPlugin<UnreadOptions>(
  'unread-responses',
  async (app: FastifyInstance, options) => {
    const unread = new UnreadResponses(options);
    const isTooMuch = (request: FastifyRequest, bytes: number) =>
      // The response to a write is always sent.
      isRead(request) && !unread.mayAdd(ownerOf(request), bytes);
    app.decorateRequest('refusalOfUnread', function refusalOfUnread(this: FastifyRequest) {
      return isTooMuch(this, countedFromBytes) ? tooMuch() : undefined;
    });
    app.decorateRequest('countUnread', function countUnread(this: FastifyRequest, written, bytes) {
      // A response that is destroyed was closed before, and would be counted for ever.
      if (bytes < countedFromBytes || written.destroyed) return;
      if (isTooMuch(this, bytes)) throw tooMuch();
      const { socket } = this.raw;
      const response = { owner: ownerOf(this), socket, bytes };
      unread.add(response);
      // Node starts the time again whenever some of it was taken, and sets its own time when the response is done.
      socket.setTimeout(options.responseTimeoutMs);
      written.once('close', () => unread.remove(response));
    });
    app.addHook('onSend', (request, reply, payload, done) => {
      if (typeof payload !== 'string' || payload.length < countedFromBytes) return done(null, payload);
      const send = () => {
        try {
          request.countUnread(reply.raw, Buffer.byteLength(payload));
          done(null, payload);
        } catch (error) {
          done(error as AppError);
        }
      };
      if (payload.length >= sentInNextTurnFrom) setImmediate(send);
      else send();
    });
  },
);
