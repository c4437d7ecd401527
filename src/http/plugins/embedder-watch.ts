import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { EmbedderServer } from '../../domain/embedding/embedder-server.ts';
import { globalPlugin } from './global-plugin.ts';

const latencyBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const states = ['unknown', 'ok', 'failing', 'open'] as const;

/**
 * Reports the state of the embedding server, if one is
 * configured: a line in the log for each change, and metrics.
 */
export const embedderWatch = globalPlugin<{ embedder: EmbedderServer | undefined }>(
  'embedder-watch',
  async (app: FastifyInstance, { embedder }) => {
    if (!embedder) return;
    const registers = [app.metricsRegistry];
    const requests = new Counter({
      name: 'memoryd_embedder_requests_total',
      help: 'Requests to the server that embeds, retries and probes included.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['answered', 'failed']) requests.inc({ outcome }, 0);
    const seconds = new Histogram({
      name: 'memoryd_embedder_request_seconds',
      help: 'Time of requests to the server that embeds.',
      buckets: latencyBucketsSeconds,
      registers,
    });
    new Gauge({
      name: 'memoryd_embedder_state',
      help: '1 for the state that the server that embeds is in; `open`: it is only probed.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const state of states) this.set({ state }, embedder.health.state === state ? 1 : 0);
      },
    });
    const { model } = embedder;
    app.addHook('onReady', async () => {
      embedder.watch({
        changed: ({ state, reason }) => {
          if (state === 'ok') app.log.info({ embedder: { model, state } }, 'the embedding server answers');
          else app.log.warn({ embedder: { model, state, reason } }, 'the embedding server does not answer');
        },
        requested: (request) => {
          requests.inc({ outcome: request.succeeded ? 'answered' : 'failed' });
          seconds.observe(request.seconds);
        },
      });
    });
    app.addHook('onClose', async () => embedder.close());
  },
);
