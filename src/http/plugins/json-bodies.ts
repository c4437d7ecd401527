import type { FastifyInstance } from 'fastify';
import { globalPlugin } from './global-plugin.ts';

/** Bodies are JSON whatever the method, DELETE included, and an empty one is no body, whatever its content type. */
export const jsonBodies = globalPlugin('json-bodies', async (app: FastifyInstance) => {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
  // What is required of a body is then missed by name.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= {};
    done();
  });
});
