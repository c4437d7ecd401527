import type { FastifyInstance } from 'fastify';
import { assertTexts } from '../../domain/shared/storable-text.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the body whose texts need not be storable: lists of ids, which may be unknown. */
    textsRead?: readonly string[];
  }
}

/** The body without the members that the route checks itself. */
function withoutRead(body: unknown, textsRead: readonly string[] | undefined): unknown {
  if (!textsRead || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !textsRead.includes(name)));
}

/** Refuses texts that could not be stored and returned unchanged. */
export const textRules = globalPlugin('text-rules', async (app: FastifyInstance) => {
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      assertTexts(request.query);
      assertTexts(request.params);
      assertTexts(withoutRead(request.body, request.routeOptions.config.textsRead));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
});
