import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { globalPlugin } from '../global-plugin.ts';
import { FairTurns } from './fair-turns.ts';
import { overloaded } from './overload.ts';
import type { RunningRequest } from './user-account.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The admitted request, while the handler of a request with a key runs. */
    running: RunningRequest | undefined;
  }
  interface FastifyInstance {
    /**
     * Ends the turn of the request, gives others theirs, and begins another one.
     * @throws if a response was sent or the client disconnected
     */
    nextTurn(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

type Maxima = Pick<Config, 'requestsInFlightMax' | 'requestsInFlightPerUserMax'>;

const retryAfter = 2;
/**
 * Work of writing a response, in ms a byte: a page of 8
 * MiB took 40 to 50 ms to read, to serialize and to send.
 */
export const workPerByte = 5e-6;

const tooDear = () =>
  new AppError('OVERLOADED', 'The requests of this user take more time than the server has.', { retryAfter });

/** Whether the request changes nothing: a GET or HEAD, or a POST that a key with the scope read may send. */
export function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.scope === 'read';
}

/** Above this number of counts, counts of users without a request are dropped. */
const countsMax = 1024;

/** Unfinished requests with a key, in all and of each user. */
class RequestCounts {
  readonly #maxima: Maxima;
  /** Counts of 0 stay: a map that often becomes empty is expensive, see `LinkedList`. */
  readonly #byUser = new Map<number, number>();
  #all = 0;

  constructor(maxima: Maxima) {
    this.#maxima = maxima;
  }

  /** @throws 503 if the server or this user has the maximum of requests in flight */
  enter(userId: number): void {
    const { requestsInFlightMax, requestsInFlightPerUserMax } = this.#maxima;
    const own = this.#byUser.get(userId) ?? 0;
    if (own === 0 && this.#byUser.size >= countsMax) this.#dropIdle();
    if (this.#all >= requestsInFlightMax) throw overloaded();
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

/** Ends the request's turn and waits for the next. @throws AppError if the request ended before it began */
async function nextTurn(turns: FairTurns, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.running?.end();
  await new Promise<void>((resolve, reject) => {
    const left = () => reject(new AppError('DEADLINE_EXCEEDED', 'The request was ended before this turn.'));
    const begin = (running: RunningRequest) => {
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
}

/**
 * Limits the number of unfinished requests and shares time between users. Register it after `authenticate`,
 * so that requests without a valid key, to public paths or to unknown paths count for no user.
 */
export const admission = globalPlugin<Maxima>('admission', async (app: FastifyInstance, maxima) => {
  const counts = new RequestCounts(maxima);
  const turns = new FairTurns();
  app.decorateRequest('running');

  app.addHook('onRequest', (request, reply, done) => {
    // Refused before the body is read: the client may never send it.
    if (request.is404) {
      app.refuseUnknown(request, reply);
      return;
    }
    const { user } = request;
    if (user === undefined) return done();
    try {
      if (request.isLoopLate && turns.takesTheLoop(user.id)) throw tooDear();
      counts.enter(user.id);
    } catch (error) {
      return done(error as AppError);
    }
    // Runs after a response as well as after a disconnect of the client.
    request.whenClosed(() => {
      counts.leave(user.id);
      request.running?.end();
    });
    done();
  });

  app.decorate('nextTurn', (request: FastifyRequest, reply: FastifyReply) => nextTurn(turns, request, reply));

  app.addHook('preHandler', (request, reply, done) => {
    const { user } = request;
    if (user === undefined) return done();
    const withdraw = turns.add(user.id, {
      isRead: isRead(request),
      begin: (running) => {
        // The deadline passed during the wait, and the client got a 503.
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
});
