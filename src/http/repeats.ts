import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { StoredAnswer } from '../domain/shared/idempotency-store.ts';
import { MINUTE_MS } from '../domain/shared/time.ts';

const repeatWindowMs = 10 * MINUTE_MS;
const undeliveredMax = 10_000;
const undeliveredLengthMax = 32 * 1024 * 1024;

/** A request that is being done; those who repeat it wait for its answer. */
export class Flight {
  /** Undefined when there is no answer worth giving again: try yourself. */
  readonly answer: Promise<StoredAnswer | undefined>;
  #resolve: (answer: StoredAnswer | undefined) => void = () => undefined;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  settle(answer: StoredAnswer | undefined): void {
    this.#resolve(answer);
  }
}

/** Answers that no client got, by what makes requests the same: 10,000 or 32 M characters at most, for 10 minutes. */
export class UndeliveredAnswers {
  readonly #answers = new LRUCache<string, StoredAnswer>({
    max: undeliveredMax,
    maxSize: undeliveredLengthMax,
    sizeCalculation: ({ body }) => body.length + 1,
    ttl: repeatWindowMs,
  });

  get isEmpty(): boolean {
    return this.#answers.size === 0;
  }

  find(slot: string): StoredAnswer | undefined {
    return this.#answers.get(slot);
  }

  keep(slot: string, answer: StoredAnswer): void {
    this.#answers.set(slot, answer);
  }
}

export function isRepeatable(request: FastifyRequest): boolean {
  if (request.method !== 'POST' || request.user === undefined) return false;
  return request.routeOptions.config.scope !== 'read';
}

/** Equal for the same path and body. */
export function fingerprintOf({ method, url, body }: FastifyRequest): string {
  return hash('sha256', `${method} ${url}\n${JSON.stringify(body ?? null)}`, 'base64url');
}

export interface AnswerParts {
  readonly payload: unknown;
  readonly fingerprint: string;
  readonly createdAt: number;
}

/** The answer about to be sent, where the same would be answered again; failures that pass are tried anew. */
export function lastingAnswer(
  { statusCode: status }: FastifyReply,
  { payload, fingerprint, createdAt }: AnswerParts,
): StoredAnswer | undefined {
  const passes = status >= 500 || status === 401 || status === 403 || status === 429;
  if (passes || typeof payload !== 'string') return undefined;
  return { fingerprint, status, body: payload, createdAt };
}

export function replay(reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply {
  return reply
    .header('Idempotency-Replayed', 'true')
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((text: unknown) => text as string)
    .send(body);
}
