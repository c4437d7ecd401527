import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/settings.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { LinkedList } from '../../lib/collections.ts';
import type { LoopTimes } from '../../lib/throttle.ts';
import { globalPlugin } from '../global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes that are served even when the process is overloaded. */
    probe?: boolean;
  }
  interface FastifyRequest {
    /** True if the event loop is late: `admission` then refuses the users whose requests cause it. */
    isLoopLate: boolean;
  }
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
 * Responds 503 before the process fails, by the lag of its event loop and by its
 * heap, and during a stop. If the loop is late, this plugin refuses requests without
 * a key, and `admission`, which also limits the work in flight, those of users.
 */
export const overload = globalPlugin<Pick<Config, 'eventLoopDelayMaxMs'>>(
  'overload',
  async (app: FastifyInstance, options) => {
    let isStopping = false;
    let listeningSince = Number.POSITIVE_INFINITY;
    app.addHook('onListen', async () => {
      listeningSince = performance.now();
    });
    const connections = openConnections(app);
    app.addHook('preClose', async () => {
      isStopping = true;
      // Browsers and clients open some connections in advance. Node does not
      // count them as idle: the stop would wait for their first request.
      for (const socket of [...connections]) if (socket.bytesRead === 0) socket.destroy();
    });
    const heapBytesMax = getHeapStatistics().heap_size_limit * heapShareMax;
    app.decorateRequest('isLoopLate', false);
    await app.register(underPressure, {
      maxEventLoopDelay: options.eventLoopDelayMaxMs,
      maxHeapUsedBytes: heapBytesMax,
      sampleInterval: sampleIntervalMs,
      pressureHandler: (request, _reply, _type, value) => {
        // The first samples measure the start itself, which compiles routes.
        if (performance.now() - listeningSince < 2 * sampleIntervalMs) return;
        // Infinity means no sample since the last check, as after a single pause: it predicts nothing.
        if (value === Number.POSITIVE_INFINITY) return;
        const { probe, public: isPublic } = request.routeOptions.config;
        if (probe) return;
        // The lag is checked before the heap, so both limits may be exceeded here.
        if (isPublic || request.is404 || app.memoryUsage().heapUsed > heapBytesMax) throw overloaded();
        request.isLoopLate = true;
      },
    });
    app.addHook('onRequest', (request, _reply, done) => {
      if (isStopping && request.routeOptions.url !== '/livez') done(stopping());
      else done();
    });
  },
);

const megabyte = 1024 * 1024;
const shareOfMachine = 0.8;
const collectIntervalMs = 5000;
/** Utilisation of the event loop below which the service is idle; probes of a balancer take less. */
const idleUtilization = 0.05;
/** Longer than the 5 s over which the engine measures the rate of allocations. */
const idleMs = 6000;
/**
 * The first collection still counts the objects of the work before it; only after a
 * second one does the engine know that little is allocated, and give memory back.
 */
const collectionsWhileIdle = 2;
/** Less garbage is not worth a stop. */
const idleGrowthBytesMin = 16 * megabyte;
/** Live objects of more than this would stop the event loop for half a second. */
const idleHeapBytesMax = 512 * megabyte;
const memoryRetryAfter = 5;

/**
 * Resident memory in bytes, above which requests are refused; 0
 * stands for a share of the machine's or container's.
 */
function memoryMaxBytes(memoryMaxMb: number): number {
  if (memoryMaxMb > 0) return memoryMaxMb * megabyte;
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return machine * shareOfMachine;
}

/** Node exposes the garbage collector only with a flag; refusing requests alone frees no memory. */
function newCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

interface Sample {
  /** Milliseconds. */
  readonly now: number;
  readonly loop: LoopTimes;
  /** Of the main thread, with the space of garbage. */
  readonly heapBytes: number;
}

const sampleNow = (): Sample => ({
  now: performance.now(),
  loop: performance.eventLoopUtilization(),
  heapBytes: getHeapStatistics().total_heap_size,
});

/**
 * Tells when to collect garbage because the service is idle. The engine collects when it needs room for new objects:
 * without work it kept 30 MiB of garbage after a start, and up to 90 after background work.
 */
export class IdleGarbage {
  readonly #sample: () => Sample;
  #loop: LoopTimes;
  /** Since the last work or collection. */
  #idleSince: number;
  #heapBytes = 0;
  #left = 0;

  constructor(sample = sampleNow) {
    this.#sample = sample;
    const first = sample();
    this.#loop = first.loop;
    this.#idleSince = first.now;
  }

  /** To be called at each sample. */
  isDue(): boolean {
    const { now, loop, heapBytes } = this.#sample();
    const active = loop.active - this.#loop.active;
    const idle = loop.idle - this.#loop.idle;
    this.#loop = loop;
    if (active > idleUtilization * (active + idle)) this.#idleSince = now;
    if (now - this.#idleSince < idleMs) return false;
    if (heapBytes - this.#heapBytes >= idleGrowthBytesMin) this.#left = collectionsWhileIdle;
    return this.#left > 0 && heapBytes <= idleHeapBytesMax;
  }

  collected(): void {
    const { now, heapBytes } = this.#sample();
    this.#left--;
    this.#heapBytes = heapBytes;
    this.#idleSince = now;
  }
}

const usedHeapMb = () => Math.round(getHeapStatistics().used_heap_size / megabyte);

/**
 * Responds 503 while the process exceeds its memory limit, before the system kills
 * it; probes are served. Collects garbage then, and while the service is idle.
 */
export const memoryLimit = globalPlugin<Pick<Config, 'memoryMaxMb'>>(
  'memory-limit',
  async (app: FastifyInstance, { memoryMaxMb }) => {
    const max = memoryMaxBytes(memoryMaxMb);
    const collect = newCollector();
    const idleGarbage = new IdleGarbage();
    let isOver = false;
    let collectedAt = Number.NEGATIVE_INFINITY;
    const look = () => {
      const resident = process.memoryUsage.rss();
      const wasOver = isOver;
      isOver = resident > max;
      if (isOver !== wasOver) {
        const memory = { residentMb: Math.round(resident / megabyte), maxMb: Math.round(max / megabyte) };
        if (isOver) app.log.warn({ memory }, 'memory is over its limit: requests are refused');
        else app.log.info({ memory }, 'memory is within its limit again: requests are accepted');
      }
      if (isOver && performance.now() - collectedAt > collectIntervalMs) {
        collectedAt = performance.now();
        collect();
      } else if (idleGarbage.isDue()) {
        const before = usedHeapMb();
        collect();
        idleGarbage.collected();
        app.log.debug({ heapMb: { before, after: usedHeapMb() } }, 'garbage was collected while idle');
      }
    };
    const timer = setInterval(look, sampleIntervalMs).unref();
    app.addHook('onClose', async () => clearInterval(timer));
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isOver || request.routeOptions.config.probe) return done();
      done(
        new AppError('OVERLOADED', 'The server has no memory left for more requests.', {
          retryAfter: memoryRetryAfter,
        }),
      );
    });
  },
);
