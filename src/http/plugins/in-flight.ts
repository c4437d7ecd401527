import type { FastifyInstance } from 'fastify';
import type { RequestsInFlight } from '../../lib/requests-in-flight.ts';
import { globalPlugin } from './global-plugin.ts';

/** Counts requests from their head to the end of their response or connection. */
export const inFlight = globalPlugin<{ requests: RequestsInFlight }>(
  'in-flight',
  async (app: FastifyInstance, { requests }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      requests.begin();
      request.whenClosed(() => requests.end());
      done();
    });
  },
);
