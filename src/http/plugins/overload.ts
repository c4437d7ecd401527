import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { LinkedList } from '../../lib/linked-list.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes that are served however busy the process is. */
    probe?: boolean;
  }
  interface FastifyRequest {
    /** Whether the event loop is late: `admission` refuses the users whose requests take it. */
    isLoopLate: boolean;
  }
}

export interface OverloadOptions {
  readonly eventLoopDelayMaxMs: number;
}

const retryAfter = 2;
const heapShareMax = 0.95;
const sampleIntervalMs = 500;

export function overloaded(): AppError {
  return new AppError('OVERLOADED', 'The server has more work than it can do in time.', { retryAfter });
}

function stopping(): AppError {
  return new AppError('SERVER_STOPPING', 'The server is stopping.', { retryAfter });
}

function openConnections(app: FastifyInstance): LinkedList<Socket> {
  const connections = new LinkedList<Socket>();
  app.server.on('connection', (socket: Socket) => {
    const link = connections.add(socket);
    socket.once('close', () => connections.remove(link));
  });
  return connections;
}

/**
 * 503 before the process falls over: by the lag of its event loop and by its heap; and while it stops. A late loop
 * refuses requests without a key here, and those of users by `admission`, which also bounds what is worked on at once.
 */
export const overload = globalPlugin<OverloadOptions>('overload', async (app: FastifyInstance, options) => {
  let isStopping = false;
  let listeningSince = Number.POSITIVE_INFINITY;
  app.addHook('onListen', async () => {
    listeningSince = performance.now();
  });
  const connections = openConnections(app);
  app.addHook('preClose', async () => {
    isStopping = true;
    // Browsers and clients open some in advance. Node does not count them as idle, so the stop would wait for their first request.
    for (const socket of [...connections]) if (socket.bytesRead === 0) socket.destroy();
  });
  const heapBytesMax = getHeapStatistics().heap_size_limit * heapShareMax;
  app.decorateRequest('isLoopLate', false);
  await app.register(underPressure, {
    maxEventLoopDelay: options.eventLoopDelayMaxMs,
    maxHeapUsedBytes: heapBytesMax,
    sampleInterval: sampleIntervalMs,
    pressureHandler: (request, _reply, _type, value) => {
      // The first samples tell of the start itself, when routes are compiled.
      if (performance.now() - listeningSince < 2 * sampleIntervalMs) return;
      // No lag was sampled since the last look, as after one single pause: that says nothing of the next one.
      if (value === Number.POSITIVE_INFINITY) return;
      const { probe, public: isPublic } = request.routeOptions.config;
      if (probe) return;
      // A late loop is what is asked about first, so it may be late and the heap full.
      if (isPublic || request.is404 || app.memoryUsage().heapUsed > heapBytesMax) throw overloaded();
      request.isLoopLate = true;
    },
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (isStopping && request.routeOptions.url !== '/livez') done(stopping());
    else done();
  });
});
