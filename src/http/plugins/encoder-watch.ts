import type { FastifyInstance } from 'fastify';
import type { SystemService } from '../../domain/system/system-service.ts';
import { globalPlugin } from './global-plugin.ts';

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
