import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram } from 'prom-client';
import { type LlmServer, llmOutcomes, llmStates } from '../../domain/derivation/llm-server.ts';
import type { EmbedderServer } from '../../domain/embedding/embedder.ts';
import type { SystemService } from '../../domain/system/system-service.ts';
import { backgroundTasks, type FailureLog, rootOf } from '../../lib/failure-log.ts';
import { globalPlugin } from '../global-plugin.ts';
import { toLoggedFailure } from '../log.ts';

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

/**
 * Reports the state of the encoder in the process, if one is configured: a line
 * in the log for each change. If the store has memories, the encoder loads at the
 * start, so that no search waits for it; an empty store does not need it yet.
 */
export const encoderWatch = globalPlugin<{ system: SystemService }>(
  'encoder-watch',
  async (app: FastifyInstance, { system }) => {
    const { encoder } = system;
    if (!encoder) return;
    const { model } = encoder;
    app.addHook('onReady', async () => {
      encoder.watch(({ state, reason }, detail) => {
        const line = { encoder: { model, state, reason, detail } };
        if (state === 'missing')
          app.log.warn(line, 'the encoder cannot run here; the static model serves alone');
        else if (state === 'failing') app.log.warn(line, 'the encoder gives no vectors');
        else app.log.info({ encoder: { model, state } }, 'the encoder gives vectors');
      });
      if (await hasMemories(system)) void encoder.warm();
    });
  },
);

/** The service starts even if the store is unreadable; the encoder then loads with its first text. */
async function hasMemories({ probe, failures }: SystemService): Promise<boolean> {
  try {
    return (await probe.totals()).memories > 0;
  } catch (error) {
    failures.failed('store_probe', error);
    return false;
  }
}

/** Reports the state of the LLM, if one is configured: a line in the log for each change, and metrics. */
export const llmWatch = globalPlugin<{ llm: LlmServer | undefined }>(
  'llm-watch',
  async (app: FastifyInstance, { llm }) => {
    if (!llm) return;
    metricsOf(app, llm);
    const { model } = llm;
    llm.watch(({ state, reason }) => {
      if (state === 'ok') app.log.info({ llm: { model, state } }, 'the LLM answers');
      else if (state === 'paused')
        app.log.warn({ llm: { model, state, reason } }, 'the LLM is not asked before the next day (UTC)');
      else
        app.log.warn(
          { llm: { model, state, reason } },
          'the LLM gives no proposals: those of the rules stand',
        );
    });
    app.addHook('onClose', async () => llm.close());
  },
);

function metricsOf(app: FastifyInstance, llm: LlmServer): void {
  const registers = [app.metricsRegistry];
  new Counter({
    name: 'memoryd_llm_requests_total',
    help: 'Requests to the LLM by how they ended; `cached` and `budget` were not sent.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const outcome of llmOutcomes) this.inc({ outcome }, llm.counts.get(outcome) ?? 0);
    },
  });
  new Counter({
    name: 'memoryd_llm_tokens_total',
    help: 'Tokens that the LLM used, as its server counts them, since the start of this process.',
    registers,
    collect() {
      this.reset();
      this.inc(llm.tokens);
    },
  });
  new Gauge({
    name: 'memoryd_llm_tokens_left',
    help: 'Tokens of the day (UTC) that are not used yet, of all processes of the store.',
    registers,
    async collect() {
      this.reset();
      // No count if the store is unreachable; `memoryd_store_up` is then 0.
      const used = await llm.usedToday().catch(() => undefined);
      if (used !== undefined) this.set(Math.max(0, llm.tokensPerDay - used));
    },
  });
  new Gauge({
    name: 'memoryd_llm_state',
    help: '1 for the state that the LLM is in; `paused`: the tokens of the day are used up.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of llmStates) this.set({ state }, llm.state.state === state ? 1 : 0);
    },
  });
}
