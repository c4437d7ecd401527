import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import { backgroundTasks, type FailureLog, rootOf } from '../../lib/failure-log.ts';
import { toLoggedFailure } from '../log-options.ts';
import { globalPlugin } from './global-plugin.ts';

/**
 * Reports failing background work, which no response shows: a line in the log, and a counter for each task.
 */
export const backgroundWatch = globalPlugin<{ failures: FailureLog }>(
  'background-watch',
  async (app: FastifyInstance, { failures }) => {
    new Counter({
      name: 'memoryd_background_failures_total',
      help: 'Failures of work in the background, by task; each is tried again, but for what `known_names` cut.',
      labelNames: ['task'],
      registers: [app.metricsRegistry],
      collect() {
        this.reset();
        const counts = new Map(failures.counts.map((count) => [count.task, count.failures]));
        for (const task of new Set([...backgroundTasks, ...counts.keys()]))
          this.inc({ task }, counts.get(task) ?? 0);
      },
    });
    app.addHook('onReady', async () => {
      failures.watch(({ task, error, times }) => {
        const failure = toLoggedFailure(rootOf(error));
        app.log.warn({ task, times, failure }, 'work in the background failed');
      });
    });
  },
);
