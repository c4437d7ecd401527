import type { FastifyInstance } from 'fastify';
import { editConflict } from '../../domain/shared/precondition.ts';
import { Type } from '../route-plugin.ts';
import { isConditional } from '../schemas/if-match.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the handler compares `If-Match` itself. On
     * other routes that change something, no tag can match.
     */
    ifMatch?: boolean;
  }
}

const changing = ['PUT', 'PATCH', 'DELETE'];

const comparedHeader = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'ETags of the record from earlier responses: 412 unless it has one of them now. *: any version.',
    }),
  ),
});
const matchlessHeader = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'Records of this kind have no ETag: anything but * is 412.' }),
  ),
});

/** Checks `If-Match` on every PUT, PATCH and DELETE: a header that cannot match is refused, not ignored. */
export const ifMatchHeader = globalPlugin('if-match', async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => changing.includes(method))) return;
    const headers = route.config?.ifMatch ? comparedHeader : matchlessHeader;
    route.schema = { ...route.schema, headers };
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { ifMatch } = request.routeOptions.config;
    const cannotMatch = !request.is404 && !ifMatch && changing.includes(request.method);
    if (cannotMatch && isConditional(request.headers)) done(editConflict());
    else done();
  });
});
