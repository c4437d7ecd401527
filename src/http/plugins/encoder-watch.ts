import type { FastifyInstance } from 'fastify';
import type { LocalEncoder } from '../../domain/embedding/local-encoder.ts';
import { globalPlugin } from './global-plugin.ts';

/** Tells of the encoder in the process, where one is configured: a line in the log for each change of its state. */
export const encoderWatch = globalPlugin<{ encoder: LocalEncoder | undefined }>(
  'encoder-watch',
  async (app: FastifyInstance, { encoder }) => {
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
    });
    app.addHook('onClose', () => encoder.close());
  },
);
