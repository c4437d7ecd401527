import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { FairTurns } from '../fairness/fair-turns.ts';
import type { Running } from '../fairness/waiting-requests.ts';
import { isRead } from '../is-read.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The admitted request, while the handler of a request with a key runs. */
    running: Running | undefined;
  }
  interface FastifyInstance {
    /**
     * Ends the turn of the request, lets others have theirs, and begins another one.
     * @throws where the request was answered, or its client went away
     */
    nextTurn(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

export interface AdmissionOptions {
  readonly requestsInFlightMax: number;
  readonly requestsInFlightPerUserMax: number;
}

const retryAfter = 2;
/** Work of writing a response, in ms a byte: a page of 8 MiB took 40 to 50 ms to read, to turn into JSON and to send. */
export const workPerByte = 5e-6;

const tooDear = () =>
  new AppError('OVERLOADED', 'The requests of this user take more time than the server has.', { retryAfter });

/** Counts of users without a request are dropped when there are more counts than this. */
const countsMax = 1024;

/** Requests with a key that are not yet answered, in all and of each user. */
class InFlight {
  readonly #options: AdmissionOptions;
  /** A count that is 0 stays: see `LinkedList` for what a map costs that becomes empty. */
  readonly #byUser = new Map<number, number>();
  #all = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** @throws 503 when the server, or this user, has as many as it may */
  enter(userId: number): void {
    const { requestsInFlightMax, requestsInFlightPerUserMax } = this.#options;
    const own = this.#byUser.get(userId) ?? 0;
    if (own === 0 && this.#byUser.size >= countsMax) this.#dropIdle();
    if (this.#all >= requestsInFlightMax)
      throw new AppError('OVERLOADED', 'The server has more work than it can do in time.', { retryAfter });
    if (own >= requestsInFlightPerUserMax)
      throw new AppError('OVERLOADED', 'This user has too many requests in flight.', { retryAfter });
    this.#byUser.set(userId, own + 1);
    this.#all++;
  }

  leave(userId: number): void {
    this.#byUser.set(userId, (this.#byUser.get(userId) ?? 1) - 1);
    this.#all--;
  }

  #dropIdle(): void {
    for (const [userId, count] of this.#byUser) if (count === 0) this.#byUser.delete(userId);
  }
}

/**
 * Bounds what is worked on at once and shares the time between users. To be registered after `authenticate`: what is
 * sent without a valid key, to public paths or to unknown ones, takes nobody's place.
 */
export const admission = globalPlugin<AdmissionOptions>(
  'admission',
  async (app: FastifyInstance, options) => {
    const inFlight = new InFlight(options);
    const turns = new FairTurns();
    app.decorateRequest('running');

    app.addHook('onRequest', (request, reply, done) => {
      // Refused before the body is read, which nobody may ever send.
      if (request.is404) {
        app.refuseUnknown(request, reply);
        return;
      }
      const { user } = request;
      if (user === undefined) return done();
      try {
        if (request.isLoopLate && turns.takesTheLoop(user.id)) throw tooDear();
        inFlight.enter(user.id);
      } catch (error) {
        return done(error as AppError);
      }
      // Both after a response and after a disconnect of the client.
      request.whenClosed(() => {
        inFlight.leave(user.id);
        request.running?.end();
      });
      done();
    });

    app.decorate('nextTurn', async (request: FastifyRequest, reply: FastifyReply) => {
      request.running?.end();
      await new Promise<void>((resolve, reject) => {
        const left = () =>
          reject(new AppError('DEADLINE_EXCEEDED', 'The request was ended before this turn.'));
        const begin = (running: Running) => {
          if (!reply.sent && !reply.raw.destroyed) {
            request.running = running;
            return resolve();
          }
          running.end();
          left();
        };
        const withdraw = turns.add(request.user.id, { isRead: isRead(request), begin });
        request.whenClosed(() => {
          withdraw?.();
          left();
        });
      });
    });

    app.addHook('preHandler', (request, reply, done) => {
      const { user } = request;
      if (user === undefined) return done();
      const withdraw = turns.add(user.id, {
        isRead: isRead(request),
        begin: (running) => {
          // The deadline passed while it waited, and the client has been told so.
          if (reply.sent) {
            running.end();
            return;
          }
          request.running = running;
          done(request.refusalOfUnread());
        },
      });
      if (withdraw) request.whenClosed(withdraw);
    });

    app.addHook('onSend', (request, _reply, payload, done) => {
      const { running } = request;
      if (running) {
        if (typeof payload === 'string') running.charge(payload.length * workPerByte);
        running.end();
      }
      done(null, payload);
    });
  },
);
