import type { FastifyInstance, FastifyRequest } from 'fastify';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Acts for the end of the response; undefined once it ended. */
    atClose: (() => void)[] | undefined;
    /** Calls `act` when the response is sent whole or its connection is closed, at once where that was before. */
    whenClosed(act: () => void): void;
  }
}

/** One listener for all who do something at the end of a response: each further one took about 1 us of every request. */
export const whenClosed = globalPlugin('when-closed', async (app: FastifyInstance) => {
  app.decorateRequest('atClose');
  app.decorateRequest('whenClosed', function whenClosed(this: FastifyRequest, act) {
    if (this.atClose) this.atClose.push(act);
    else act();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const acts: (() => void)[] = [];
    request.atClose = acts;
    reply.raw.once('close', () => {
      request.atClose = undefined;
      for (const act of acts) act();
    });
    done();
  });
});
