import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { StoredResponse } from '../domain/shared/idempotency-store.ts';
import { MINUTE_MS } from '../domain/shared/time.ts';

const repeatWindowMs = 10 * MINUTE_MS;
const undeliveredMax = 10_000;
const undeliveredLengthMax = 32 * 1024 * 1024;

/** A request in flight; repetitions wait for its response. */
export class InFlightRequest {
  /** Undefined if no response is worth replaying: repetitions run themselves. */
  readonly response: Promise<StoredResponse | undefined>;
  #resolve: (response: StoredResponse | undefined) => void = () => undefined;

  constructor() {
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  end(response: StoredResponse | undefined): void {
    this.#resolve(response);
  }
}

/**
 * Responses that no client got, by the hash of their request:
 * at most 10,000 or 32 M characters, for 10 minutes.
 */
export class UndeliveredResponses {
  readonly #responses = new LRUCache<string, StoredResponse>({
    max: undeliveredMax,
    maxSize: undeliveredLengthMax,
    sizeCalculation: ({ body }) => body.length + 1,
    ttl: repeatWindowMs,
  });

  get isEmpty(): boolean {
    return this.#responses.size === 0;
  }

  find(slot: string): StoredResponse | undefined {
    return this.#responses.get(slot);
  }

  keep(slot: string, response: StoredResponse): void {
    this.#responses.set(slot, response);
  }
}

export function isRepeatable(request: FastifyRequest): boolean {
  if (request.method !== 'POST' || request.user === undefined) return false;
  const { scope } = request.routeOptions.config;
  // The name of a record created by an operator already makes it unique.
  return scope !== 'read' && scope !== 'operator';
}

/** Equal for the same path and body. */
export function fingerprintOf({
  method,
  url,
  body,
}: Pick<FastifyRequest, 'method' | 'url' | 'body'>): string {
  return hash('sha256', `${method} ${url}\n${JSON.stringify(body ?? null)}`, 'base64url');
}

export interface ResponseContext {
  readonly payload: unknown;
  readonly fingerprint: string;
  readonly createdAt: number;
}

const noContent = 204;

/** The response about to be sent, if a repetition should get the same; transient failures are tried again. */
export function lastingResponse(
  reply: FastifyReply,
  { payload, fingerprint, createdAt }: ResponseContext,
): StoredResponse | undefined {
  const { statusCode: status } = reply;
  const passes = status >= 500 || status === 401 || status === 403 || status === 429;
  const body = status === noContent ? '' : payload;
  if (passes || typeof body !== 'string') return undefined;
  const etag = reply.getHeader('etag');
  return { fingerprint, status, body, etag: typeof etag === 'string' ? etag : null, createdAt };
}

export function replay(reply: FastifyReply, { status, body, etag }: StoredResponse): FastifyReply {
  reply.header('Idempotency-Replayed', 'true').code(status);
  if (etag !== null) reply.header('ETag', etag);
  if (status === noContent) return reply.send();
  return reply
    .type('application/json; charset=utf-8')
    .serializer((text: unknown) => text as string)
    .send(body);
}
