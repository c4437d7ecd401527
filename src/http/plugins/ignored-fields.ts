import type { FastifyInstance, RouteOptions } from 'fastify';
import { type Ignored, ignoredIn, type ObjectSchema, withIgnored } from '../ignored-fields.ts';
import { component } from '../schemas/component.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names of ignored fields and parameters; set where the response has a field for them. */
    namesIgnored?: boolean;
  }
  interface FastifyRequest {
    /** What the endpoint does not know of the query and the body; undefined where it knows all. */
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

/** The schema of a response with `meta.ignored`; undefined for one that is no object or has content types of its own. */
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
 * What changes credentials takes no name that it does not know: a key for `userId` that is the key of the caller hands
 * out their memories.
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

/** Names in `meta.ignored` of the response what a request states and the endpoint does not know; see also `refuseUnknown`. */
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
