import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { globalPlugin } from './global-plugin.ts';

export interface OverloadOptions {
  readonly requestsInFlightMax: number;
  readonly eventLoopDelayMaxMs: number;
}

const retryAfter = 2;
/** Answered however busy the process is. */
const alwaysAnswered = new Set(['/livez']);

function overloaded(): AppError {
  return new AppError('OVERLOADED', 'The server has more work than it can do in time.', { retryAfter });
}

/** 503 before the process falls over: by the lag of its event loop and by the requests it is working on. */
export const overload = globalPlugin<OverloadOptions>('overload', async (app: FastifyInstance, options) => {
  let inFlight = 0;
  await app.register(underPressure, {
    maxEventLoopDelay: options.eventLoopDelayMaxMs,
    sampleInterval: 500,
    pressureHandler: (request) => {
      if (!alwaysAnswered.has(request.url)) throw overloaded();
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!alwaysAnswered.has(request.url)) {
      if (inFlight >= options.requestsInFlightMax) {
        done(overloaded());
        return;
      }
      inFlight++;
      // Whether it was answered or the client went away.
      reply.raw.once('close', () => {
        inFlight--;
      });
    }
    done();
  });
});
