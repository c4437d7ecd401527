import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import { isTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';
import { globalPlugin } from './global-plugin.ts';

/**
 * Parses bodies as JSON in UTF-8 for every method, DELETE included; an empty body is none,
 * whatever its content type. Members named `__proto__` stay and are refused by the text rules
 * instead of disappearing. A body nested too deeply is refused before it is parsed, so recursive
 * code never meets it. Bytes that are not UTF-8 are refused: decoding would silently replace them.
 */
export const jsonBodies = globalPlugin('json-bodies', async (app: FastifyInstance) => {
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
    if (request.routeOptions.schema?.body !== undefined && request.body === undefined) request.body = {};
    done();
  });
});
