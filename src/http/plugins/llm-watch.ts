import type { FastifyInstance } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { type LlmServer, llmOutcomes, llmStates } from '../../domain/derivation/llm-server.ts';
import { globalPlugin } from './global-plugin.ts';

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
