import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { globalPlugin } from './global-plugin.ts';

export interface MemoryLimitOptions {
  /** MiB of resident memory; 0 for a share of the memory of the machine or container. */
  readonly memoryMaxMb: number;
  /** Resident memory in bytes. */
  readonly residentBytes?: () => number;
}

const megabyte = 1024 * 1024;
const shareOfMachine = 0.8;
const sampleIntervalMs = 500;
const collectIntervalMs = 5000;
const retryAfter = 5;

/** Resident memory in bytes, above which requests are refused. */
export function memoryMaxBytes(memoryMaxMb: number): number {
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

/** Responds 503 while the process exceeds its memory limit, before the system kills it. Probes are served. */
export const memoryLimit = globalPlugin<MemoryLimitOptions>(
  'memory-limit',
  async (app: FastifyInstance, { memoryMaxMb, residentBytes = process.memoryUsage.rss }) => {
    const max = memoryMaxBytes(memoryMaxMb);
    const collect = newCollector();
    let isOver = false;
    let collectedAt = Number.NEGATIVE_INFINITY;
    const look = () => {
      const resident = residentBytes();
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
      }
    };
    const timer = setInterval(look, sampleIntervalMs).unref();
    app.addHook('onClose', async () => clearInterval(timer));
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isOver || request.routeOptions.config.probe) return done();
      done(new AppError('OVERLOADED', 'The server has no memory left for more requests.', { retryAfter }));
    });
  },
);
