import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { globalPlugin } from './global-plugin.ts';

export interface OverloadOptions {
  readonly requestsInFlightMax: number;
  readonly eventLoopDelayMaxMs: number;
}

const retryAfter = 2;
/** Answered however busy the process is. */
const alwaysAnswered = new Set(['/livez']);

function refuse(): never {
  throw new AppError('OVERLOADED', 'The server has more work than it can do in time.', { retryAfter });
}

/** 503 before the process falls over: by the lag of its event loop and by the requests it is working on. */
export const overload = globalPlugin<OverloadOptions>('overload', async (app: FastifyInstance, options) => {
  let inFlight = 0;
  const counted = new WeakSet<FastifyRequest>();
  await app.register(underPressure, {
    maxEventLoopDelay: options.eventLoopDelayMaxMs,
    sampleInterval: 500,
    pressureHandler: (request) => {
      if (!alwaysAnswered.has(request.url)) refuse();
    },
  });
  app.addHook('onRequest', async (request) => {
    if (alwaysAnswered.has(request.url)) return;
    if (inFlight >= options.requestsInFlightMax) refuse();
    inFlight++;
    counted.add(request);
  });
  const done = async (request: FastifyRequest) => {
    if (counted.delete(request)) inFlight--;
  };
  app.addHook('onResponse', done);
  app.addHook('onRequestAbort', done);
});
