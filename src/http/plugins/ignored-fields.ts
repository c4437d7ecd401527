import type { FastifyInstance, RouteOptions } from 'fastify';
import { ignoredFields, type ObjectSchema, withIgnored } from '../ignored-fields.ts';
import { globalPlugin } from './global-plugin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names of ignored fields; set where the response has a field for them. */
    namesIgnored?: boolean;
  }
  interface FastifyRequest {
    /** Fields of the body that the endpoint does not know; undefined where there are none. */
    ignored: readonly string[] | undefined;
  }
}

const ignoredSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Fields of the body that this endpoint does not know and left out, the first 20.',
};

/** The schema of a response with `meta.ignored`; undefined for one that is no object or has content types of its own. */
function withIgnoredMember(schema: ObjectSchema | undefined): ObjectSchema | undefined {
  if (schema?.type !== 'object' || !schema.properties) return undefined;
  const meta = schema.properties.meta as ObjectSchema | undefined;
  const extended = {
    ...(meta ?? { type: 'object' }),
    // With one member more it is no longer the schema that the OpenAPI document knows by its name.
    'x-component': meta ? undefined : 'WriteMeta',
    properties: { ...meta?.properties, ignored: ignoredSchema },
  };
  return { ...schema, properties: { ...schema.properties, meta: extended } };
}

function extendResponses({ schema }: RouteOptions): boolean {
  if (!(schema?.body as ObjectSchema | undefined)?.properties) return false;
  const responses = { ...(schema?.response as Record<string, ObjectSchema>) };
  const extended = ['200', '201'].flatMap((status) => {
    const made = withIgnoredMember(responses[status]);
    return made ? [[status, made] as const] : [];
  });
  if (schema) schema.response = { ...responses, ...Object.fromEntries(extended) };
  return extended.length > 0;
}

/** Names in `meta.ignored` of the response what a body states and the endpoint does not know. */
export const ignoredFieldsNamed = globalPlugin('ignored-fields', async (app: FastifyInstance) => {
  app.decorateRequest('ignored');
  app.addHook('onRoute', (route) => {
    route.schema &&= { ...route.schema };
    if (extendResponses(route)) route.config = { ...route.config, namesIgnored: true };
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { config, schema } = request.routeOptions;
    if (config.namesIgnored) {
      const names = ignoredFields(request.body, schema?.body as ObjectSchema);
      if (names.length > 0) request.ignored = names;
    }
    done();
  });
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const named = request.ignored && reply.statusCode < 300 ? withIgnored(payload, request.ignored) : payload;
    done(null, named);
  });
});
