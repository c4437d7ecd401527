import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { otherWork } from '../../lib/loop-time.ts';
import { globalPlugin } from '../global-plugin.ts';
import { isRead } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** A 503 if the user has the maximum of unread bytes and asks for more. */
    refusalOfUnread(): AppError | undefined;
    /**
     * Counts bytes before they are written, as unread until `response` closes. Responses sent
     * by Fastify are counted automatically; call this only for those that a route writes.
     * @throws 503 if the user would exceed the maximum of unread bytes
     */
    countUnread(response: ServerResponse, bytes: number): void;
  }
}

interface UnreadOptions {
  /** MiB, in all and for one user or, without a key, one address. */
  readonly unreadResponsesMb: number;
  readonly unreadResponsesPerUserMb: number;
  /** A client that reads nothing of a response for this long is disconnected. */
  readonly responseTimeoutMs: number;
}

interface Unread {
  readonly owner: string;
  readonly socket: Socket;
  readonly bytes: number;
}

const megabyte = 1024 * 1024;
const retryAfter = 2;
/**
 * Smaller responses are not counted: a connection has few at
 * once, because Node then reads no further request from it.
 */
const countedFromBytes = 65_536;
/** In UTF-16 units. 8 MiB took 16 ms to serialize and 21 ms to send: waiting requests run between the two. */
const sentInNextTurnFrom = 1024 * 1024;

function tooMuch(): AppError {
  return new AppError('OVERLOADED', 'Responses that were sent before have not been read yet.', {
    retryAfter,
  });
}

/** Written responses that the system has not yet accepted for the client, oldest first. */
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

  /** Disconnects the clients of the user with the most unread bytes, who may retry. */
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

/** Limits the memory of unread responses. */
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
      // The close event of a destroyed response has passed: its bytes would be counted for ever.
      if (bytes < countedFromBytes || written.destroyed) return;
      if (isTooMuch(this, bytes)) throw tooMuch();
      const { socket } = this.raw;
      const response = { owner: ownerOf(this), socket, bytes };
      unread.add(response);
      // Node restarts the timeout whenever bytes are accepted, and resets it to its own after the response.
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
      if (payload.length >= sentInNextTurnFrom) void otherWork().then(send);
      else send();
    });
  },
);
