import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import { isTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';
import { globalPlugin } from './global-plugin.ts';

/**
 * Bodies are JSON in UTF-8 whatever the method, DELETE included, and an empty one is no body, whatever its content type.
 * Members named `__proto__` come through as members and are refused with the texts, in place of vanishing.
 * A body that is nested too deep is refused before it is parsed: nothing that goes down into it meets it.
 * Bytes that are no UTF-8 are refused: read as text they would become other characters without a word.
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
  // An absent body counts as `{}`, so that errors name the required fields; a body of `null` is one of the wrong type.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined && request.body === undefined) request.body = {};
    done();
  });
});
