import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import { assertTexts } from '../../domain/shared/storable-text.ts';
import { editConflict } from '../../domain/shared/write.ts';
import { isTooDeep, jsonDepthRule } from '../../lib/json.ts';
import { globalPlugin } from '../global-plugin.ts';
import { Type } from '../route-plugin.ts';
import { isConditional } from '../schemas/if-match.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the body whose texts need not be storable: lists of ids, which may be unknown. */
    textsRead?: readonly string[];
    /**
     * True if the handler compares `If-Match` itself. On
     * other routes that change something, no tag can match.
     */
    ifMatch?: boolean;
  }
}

/** The body without the members that the route checks itself. */
function withoutRead(body: unknown, textsRead: readonly string[] | undefined): unknown {
  if (!textsRead || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !textsRead.includes(name)));
}

/**
 * Parses bodies as JSON in UTF-8 for every method, DELETE included; an empty body is none,
 * whatever its content type. A body nested too deeply is refused before it is parsed, so recursive
 * code never meets it. Bytes that are not UTF-8 are refused: decoding would silently replace them.
 * Texts that could not be stored and returned unchanged are refused, members named `__proto__` too.
 */
export const requestRules = globalPlugin('request-rules', async (app: FastifyInstance) => {
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  const parseBounded: typeof parse = (request, text, done) => {
    if (isTooDeep(text)) done(invalidInput('the body', jsonDepthRule));
    else parse(request, text, done);
  };
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new AppError('BODY_UNREADABLE', 'The body is not valid UTF-8.'));
    else parseBounded(request, body.toString('utf8'), done);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new AppError('MEDIA_TYPE_UNSUPPORTED', 'The body must be sent as application/json.'));
  });
  // An absent body counts as `{}`, so that errors name the
  // required fields; a body of `null` has the wrong type.
  app.addHook('preValidation', (request, _reply, done) => {
    const { schema, config } = request.routeOptions;
    if (schema?.body !== undefined && request.body === undefined) request.body = {};
    try {
      assertTexts(request.query);
      assertTexts(request.params);
      assertTexts(withoutRead(request.body, config.textsRead));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
});

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
