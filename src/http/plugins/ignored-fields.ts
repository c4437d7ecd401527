import type { FastifyInstance, RouteOptions } from 'fastify';
import { type Ignored, ignoredIn, type ObjectSchema, withIgnored } from '../ignored-fields.ts';
import { component } from '../schemas/component.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names of ignored fields and parameters; set if the response has a field for them. */
    namesIgnored?: boolean;
  }
  interface FastifyRequest {
    /** Unknown names in the query and the body; undefined if all are known. */
    ignored: Ignored | undefined;
  }
}

const ignoredFields = {
  ignored: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Parameters of the query and fields of the body that this endpoint does not know and left out, the first 20.',
  },
  didYouMean: {
    type: 'array',
    items: {
      type: 'object',
      properties: { sent: { type: 'string' }, known: { type: 'string' } },
      ...component('NearestName'),
    },
    description: 'Names that some of `ignored` were probably meant to be.',
  },
};

/**
 * The schema of a response with `meta.ignored`; undefined if
 * the response is not an object or has its own content types.
 */
function withIgnoredMember(schema: ObjectSchema): ObjectSchema | undefined {
  if (schema.type !== 'object' || !schema.properties) return undefined;
  const meta = schema.properties.meta as ObjectSchema | undefined;
  const extended = {
    ...(meta ?? { type: 'object', 'x-component': 'IgnoredMeta' }),
    properties: { ...meta?.properties, ...ignoredFields },
  };
  return { ...schema, properties: { ...schema.properties, meta: extended } };
}

function extendResponses({ schema, config }: RouteOptions): boolean {
  if (config?.public) return false;
  const responses = { ...(schema?.response as Record<string, ObjectSchema>) };
  const extended = Object.entries(responses).flatMap(([status, response]) => {
    const made = withIgnoredMember(response);
    return made ? [[status, made] as const] : [];
  });
  if (schema) schema.response = { ...responses, ...Object.fromEntries(extended) };
  return extended.length > 0;
}

/**
 * Routes that change credentials refuse unknown names: a request for the key of
 * a misspelled `userId` would otherwise return a key for the caller's memories.
 */
function refuseUnknown({ schema, config, method }: RouteOptions): void {
  const isStrict = config?.showsSecret === true || config?.scope === 'operator';
  if (!isStrict || !schema || method === 'GET' || method === 'HEAD') return;
  const only = (part: unknown) => ({
    ...((part as object | undefined) ?? { type: 'object', properties: {} }),
    additionalProperties: false,
  });
  if (schema.body) schema.body = only(schema.body);
  schema.querystring = only(schema.querystring);
}

/** Lists unknown names of the request in `meta.ignored` of the response; see also `refuseUnknown`. */
export const ignoredFieldsNamed = globalPlugin('ignored-fields', async (app: FastifyInstance) => {
  app.decorateRequest('ignored');
  app.addHook('onRoute', (route) => {
    route.schema &&= { ...route.schema };
    if (extendResponses(route)) route.config = { ...route.config, namesIgnored: true };
    refuseUnknown(route);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { config, schema } = request.routeOptions;
    if (config.namesIgnored) request.ignored = ignoredIn(request, schema ?? {});
    done();
  });
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const named = request.ignored && reply.statusCode < 300 ? withIgnored(payload, request.ignored) : payload;
    done(null, named);
  });
});
