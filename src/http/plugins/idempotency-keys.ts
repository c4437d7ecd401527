import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import type { IdempotencyStore, StoredAnswer } from '../../domain/shared/idempotency-store.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import { HOUR_MS } from '../../domain/shared/time.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  Flight,
  fingerprintOf,
  isRepeatable,
  lastingAnswer,
  replay,
  UndeliveredAnswers,
} from '../repeats.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on a request with an `Idempotency-Key` that is done, so that those who repeat it get its answer. */
    keyed: Keyed | undefined;
  }
}

interface Keyed {
  readonly key: string;
  readonly fingerprint: string;
  /** The user and the key: what makes two requests the same. */
  readonly slot: string;
  readonly flight: Flight;
  /** Its answer was stored in the transaction of what it did. */
  kept: boolean;
}

interface Parts {
  readonly idempotency: IdempotencyStore;
  readonly stores: Stores;
  readonly clock: Clock;
}

export const idempotencyLifetimeMs = 24 * HOUR_MS;
const keyLengthMax = 255;

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) && key.length <= keyLengthMax) return key;
  throw invalidInput('Idempotency-Key', `must be 1 to ${keyLengthMax} visible ASCII characters`);
}

/** @throws 422 where the key was used with something else */
function replaySame(reply: FastifyReply, answer: StoredAnswer, fingerprint: string): FastifyReply {
  if (answer.fingerprint === fingerprint) return replay(reply, answer);
  throw new AppError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another path or body.');
}

async function stored({ idempotency, clock }: Parts, request: FastifyRequest, key: string) {
  const answer = await idempotency.find(request.user, key);
  const oldest = clock.now() - idempotencyLifetimeMs;
  if (!answer || answer.createdAt > oldest) return answer;
  // Whoever asks now begins anew: the answer of then must not keep theirs from being stored.
  await idempotency.prune(oldest + 1);
  return undefined;
}

/** A POST sent again with the same `Idempotency-Key` is not done again for 24 hours. */
export const idempotencyKeys = globalPlugin<Parts>(
  'idempotency-keys',
  async (app: FastifyInstance, parts) => {
    const flights = new Map<string, Flight>();
    const undelivered = new UndeliveredAnswers();
    app.decorateRequest('keyed');

    /** @returns whether it was answered with what was done before */
    const answeredBefore = async (request: FastifyRequest, reply: FastifyReply, key: string) => {
      const slot = `${request.user.id} ${key}`;
      const fingerprint = fingerprintOf(request);
      const replayed = (answer: StoredAnswer) => {
        replaySame(reply, answer, fingerprint);
        return true;
      };
      // Nothing is awaited between looking and beginning, so of many that arrive or wake together one does it.
      for (let flight = flights.get(slot); flight; flight = flights.get(slot)) {
        const answer = await flight.answer;
        if (answer) return replayed(answer);
      }
      const unsaved = undelivered.find(slot);
      if (unsaved) return replayed(unsaved);
      const flight = new Flight();
      flights.set(slot, flight);
      request.keyed = { key, fingerprint, slot, flight, kept: false };
      const before = await stored(parts, request, key);
      if (!before) return false;
      request.keyed = undefined;
      flights.delete(slot);
      flight.settle(before);
      return replayed(before);
    };

    const keep = async (request: FastifyRequest, keyed: Keyed, answer: StoredAnswer | undefined) => {
      const { key, slot, flight, kept } = keyed;
      try {
        if (answer && !kept)
          await parts.stores.forUser(request.user).transaction(({ answers }) => answers.save(key, answer));
      } catch {
        // It is given all the same, and to who repeats it while this process remembers it.
        if (answer) undelivered.keep(slot, answer);
        request.log.error({ requestId: request.id }, 'the answer to an Idempotency-Key could not be stored');
      }
      flights.delete(slot);
      flight.settle(answer);
    };

    // Hooks with callbacks: what an async hook costs is noticed in the rate of creates.
    app.addHook('preHandler', (request, reply, done) => {
      try {
        const key = isRepeatable(request) ? keyOf(request) : undefined;
        if (key === undefined) return done();
        answeredBefore(request, reply, key).then((answered) => {
          if (!answered) done();
        }, done);
      } catch (error) {
        done(error as Error);
      }
    });

    app.addHook('onSend', (request, reply, payload, done) => {
      const { keyed } = request;
      if (!keyed) return done(null, payload);
      const { fingerprint } = keyed;
      const answer = lastingAnswer(reply, { payload, fingerprint, createdAt: parts.clock.now() });
      void keep(request, keyed, answer).then(() => done(null, payload));
    });
  },
);
