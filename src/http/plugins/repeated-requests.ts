import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import type { IdempotencyStore, StoredAnswer } from '../../domain/shared/idempotency-store.ts';
import { HOUR_MS } from '../../domain/shared/time.ts';
import type { Clock } from '../../lib/clock.ts';
import { Flight, Flights } from '../flights.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a request that is done, so that those who repeat it can be given its answer. */
    repeatable: Repeatable | undefined;
  }
}

interface Wanted {
  /** What makes two requests the same: the user and the key, or the user and the fingerprint. */
  readonly slot: string;
  readonly key: string | undefined;
  readonly fingerprint: string;
}

export interface Repeatable extends Wanted {
  readonly flight: Flight;
  /** Its answer was stored in the transaction of what it did. */
  kept: boolean;
}

interface Parts {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
}

export const idempotencyLifetimeMs = 24 * HOUR_MS;
const keyLengthMax = 255;

function fingerprintOf(request: FastifyRequest): string {
  const what = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`;
  return hash('sha256', what, 'base64url');
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) && key.length <= keyLengthMax) return key;
  throw invalidInput('Idempotency-Key', `must be 1 to ${keyLengthMax} visible ASCII characters`);
}

function wantedOf(request: FastifyRequest): Wanted {
  const key = keyOf(request);
  const fingerprint = fingerprintOf(request);
  // A fingerprint holds no space, so no key is taken for one.
  const slot = key === undefined ? `${request.user.id}  ${fingerprint}` : `${request.user.id} ${key}`;
  return { key, fingerprint, slot };
}

function isRepeatable(request: FastifyRequest): boolean {
  if (request.method !== 'POST' || request.user === undefined) return false;
  return request.routeOptions.config.scope !== 'read';
}

/** @throws 422 where the key was used with something else */
function replay(reply: FastifyReply, answer: StoredAnswer, fingerprint: string): FastifyReply {
  if (answer.fingerprint !== fingerprint) {
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      'Idempotency-Key was used before with another path or body.',
    );
  }
  return reply
    .header('Idempotency-Replayed', 'true')
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(answer.body);
}

/** Answers that would be the same again; failures that pass are tried anew. */
function isLasting(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/**
 * The answer of the same request while it is in flight, or after its client left; else a flight that is now ours.
 * Nothing is awaited between looking and beginning, so of many that arrive or wake together one does it.
 */
async function joinOrBegin(flights: Flights, { slot, key }: Wanted): Promise<StoredAnswer | Flight> {
  for (let flight = flights.find(slot); flight; flight = flights.find(slot)) {
    // Without a key only a client that gave up means the same; one that waits wants two.
    if (key === undefined && !flight.abandoned) break;
    const answer = await flight.answer;
    if (answer) return answer;
  }
  return flights.findAbandoned(slot) ?? flights.begin(slot);
}

async function stored({ store, clock }: Parts, request: FastifyRequest, key: string) {
  const answer = await store.find(request.user, key);
  const oldest = clock.now() - idempotencyLifetimeMs;
  if (!answer || answer.createdAt > oldest) return answer;
  // Whoever asks now begins anew: the answer of then must not keep theirs from being stored.
  await store.prune(oldest + 1);
  return undefined;
}

function watch(flights: Flights, { slot, flight }: Repeatable, { raw }: FastifyReply): void {
  if (raw.destroyed) flight.abandon();
  raw.once('close', () => {
    if (!raw.writableFinished) flight.abandon();
    // Written and received, or known and never received. One that is not yet known ends when it is.
    if (raw.writableFinished || flight.settled) flights.end(slot, flight);
  });
}

/** An answer that cannot be stored is given all the same, and to who repeats it while this process remembers it. */
async function save({ store }: Parts, request: FastifyRequest, answer: StoredAnswer): Promise<void> {
  if (request.repeatable?.key === undefined || request.repeatable.kept) return;
  try {
    await store.save(request.user, request.repeatable.key, answer);
  } catch {
    request.repeatable.flight.abandon();
    request.log.error({ requestId: request.id }, 'the answer to an Idempotency-Key could not be stored');
  }
}

/**
 * A POST sent again is not done again: with the same `Idempotency-Key` for 24 hours, and without one when the first
 * connection closed before its answer was written (a client that gave up and tries again), for 10 minutes.
 */
export const repeatedRequests = globalPlugin<Parts>(
  'repeated-requests',
  async (app: FastifyInstance, parts) => {
    const flights = new Flights();
    app.decorateRequest('repeatable');

    app.addHook('preHandler', async (request, reply) => {
      if (!isRepeatable(request)) return;
      const wanted = wantedOf(request);
      const { key, fingerprint, slot } = wanted;
      const found = await joinOrBegin(flights, wanted);
      if (!(found instanceof Flight)) return replay(reply, found, fingerprint);
      const repeatable = { ...wanted, flight: found, kept: false };
      request.repeatable = repeatable;
      watch(flights, repeatable, reply);
      const before = key === undefined ? undefined : await stored(parts, request, key);
      if (!before) return;
      request.repeatable = undefined;
      found.settle(before);
      flights.end(slot, found);
      return replay(reply, before, fingerprint);
    });

    app.addHook('onSend', async (request, reply, payload) => {
      if (!request.repeatable) return payload;
      const { slot, key, fingerprint, flight } = request.repeatable;
      const lasting = isLasting(reply.statusCode) && typeof payload === 'string';
      const answer = lasting
        ? { fingerprint, status: reply.statusCode, body: payload, createdAt: parts.clock.now() }
        : undefined;
      if (answer) await save(parts, request, answer);
      flight.settle(answer);
      // Without a key the answer stays until it is known whether the client got it.
      if (!answer || key !== undefined || flight.abandoned) flights.end(slot, flight);
      return payload;
    });
  },
);
