import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import type { IdempotencyStore, StoredAnswer } from '../../domain/shared/idempotency-store.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/shared/time.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a request that is done, so that those who repeat it can be given its answer. */
    repeatable: Repeatable | undefined;
  }
}

interface Repeatable {
  readonly slot: string;
  readonly key: string | undefined;
  readonly fingerprint: string;
  /** Tells those who wait for this request's answer; undefined: try yourself. */
  readonly finish: (answer: StoredAnswer | undefined) => void;
}

type Wanted = Pick<Repeatable, 'slot' | 'key' | 'fingerprint'>;

interface Flight {
  readonly fingerprint: string;
  readonly answer: Promise<StoredAnswer | undefined>;
  readonly closed: () => boolean;
}

export const idempotencyLifetimeMs = 24 * HOUR_MS;
const repeatWindowMs = 10 * MINUTE_MS;
const flightsMax = 10_000;
const keyLengthMax = 255;

function fingerprintOf(request: FastifyRequest): string {
  return hash(
    'sha256',
    `${request.method} ${request.url}
${JSON.stringify(request.body ?? null)}`,
    'base64url',
  );
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) && key.length <= keyLengthMax) return key;
  throw invalidInput('Idempotency-Key', `must be 1 to ${keyLengthMax} visible ASCII characters`);
}

function replay(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  return reply
    .header('Idempotency-Replayed', 'true')
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(answer.body);
}

function assertSame(found: string, wanted: string): void {
  if (found !== wanted) {
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      'Idempotency-Key was used before with another path or body.',
    );
  }
}

/** Answers that would be the same again; failures that pass are tried anew. */
function isLasting(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/**
 * A POST sent again is not done again: with the same `Idempotency-Key` for 24 hours, and without one when the first
 * connection closed before its answer was written (a client that gave up and tries again), for 10 minutes.
 */
export const repeatedRequests = globalPlugin<{ store: IdempotencyStore }>(
  'repeated-requests',
  async (app: FastifyInstance, { store }) => {
    const flights = new LRUCache<string, Flight>({ max: flightsMax, ttl: repeatWindowMs });
    app.decorateRequest('repeatable');

    const find = async (request: FastifyRequest, wanted: Wanted): Promise<StoredAnswer | undefined> => {
      const { slot, key, fingerprint } = wanted;
      const flight = flights.get(slot);
      if (flight && (key !== undefined || flight.closed())) {
        assertSame(flight.fingerprint, fingerprint);
        return flight.answer;
      }
      const stored = key === undefined ? undefined : await store.find(request.user, key);
      if (!stored || stored.createdAt <= Date.now() - idempotencyLifetimeMs) return undefined;
      assertSame(stored.fingerprint, fingerprint);
      return stored;
    };

    app.addHook('preHandler', async (request, reply) => {
      if (
        request.method !== 'POST' ||
        request.user === undefined ||
        request.routeOptions.config.scope === 'read'
      )
        return;
      const key = keyOf(request);
      const fingerprint = fingerprintOf(request);
      const wanted = { key, fingerprint, slot: `${request.user.id} ${key ?? fingerprint}` };
      const answer = await find(request, wanted);
      if (answer) return replay(reply, answer);
      let finish: Repeatable['finish'] = () => undefined;
      const promise = new Promise<StoredAnswer | undefined>((resolve) => {
        finish = resolve;
      });
      const closed = () => request.raw.socket.destroyed && !reply.raw.writableFinished;
      flights.set(wanted.slot, { fingerprint, answer: promise, closed });
      request.repeatable = { ...wanted, finish };
    });

    app.addHook('onSend', async (request, reply, payload) => {
      if (!request.repeatable) return payload;
      const { slot, key, fingerprint, finish } = request.repeatable;
      const lasting = isLasting(reply.statusCode) && typeof payload === 'string';
      const answer = lasting
        ? { fingerprint, status: reply.statusCode, body: payload, createdAt: Date.now() }
        : undefined;
      if (answer && key !== undefined) await store.save(request.user, key, answer);
      finish(answer);
      if (!answer) flights.delete(slot);
      return payload;
    });

    app.addHook('onResponse', async (request, reply) => {
      // Written and received: from now on the same body without a key is a new record.
      if (request.repeatable && reply.raw.writableFinished) flights.delete(request.repeatable.slot);
    });
  },
);
