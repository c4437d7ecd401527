import { Readable } from 'node:stream';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isJsonObject } from '../lib/json.ts';
import { nearest } from '../lib/names.ts';
import { globalPlugin } from './global-plugin.ts';
import { component } from './schemas/component.ts';

/** The keywords of a JSON schema that name the members of an object. */
interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly items?: unknown;
}

const noParameters: ObjectSchema = { properties: {} };
const namesMax = 20;
const nameLengthMax = 100;

/** Fields of a request that its endpoint does not know; names are paths, each cut to 100 UTF-16 units. */
interface Ignored {
  readonly ignored: readonly string[];
  /** Known names close to the ignored ones; undefined if there are none. */
  readonly didYouMean?: readonly { readonly sent: string; readonly known: string }[];
}

class UnknownNames {
  readonly names: string[] = [];
  readonly meant: { readonly sent: string; readonly known: string }[] = [];

  add(value: unknown, schema: ObjectSchema, parent = ''): void {
    if (Array.isArray(value)) {
      if (isJsonObject(schema.items)) for (const item of value) this.add(item, schema.items, parent);
      return;
    }
    const { properties } = schema;
    // A schema without named members accepts any.
    if (!isJsonObject(value) || !properties || schema.additionalProperties || schema.patternProperties)
      return;
    for (const name of Object.keys(value)) {
      if (this.names.length === namesMax) return;
      if (!Object.hasOwn(properties, name)) this.#note(parent, name, Object.keys(properties));
      else if (typeof value[name] === 'object')
        this.add(value[name], properties[name] as ObjectSchema, `${parent}${name}.`);
    }
  }

  #note(parent: string, name: string, known: readonly string[]): void {
    const shown = (parent + name).slice(0, nameLengthMax).toWellFormed();
    if (this.names.includes(shown)) return;
    this.names.push(shown);
    const near = nearest(name, known);
    if (near !== undefined) this.meant.push({ sent: shown, known: parent + near });
  }
}

/**
 * The first 20 query parameters and body members that the schemas do not name; undefined if all are known.
 */
export function ignoredIn(
  { query, body }: { readonly query: unknown; readonly body: unknown },
  schemas: { readonly querystring?: unknown; readonly body?: unknown },
): Ignored | undefined {
  const unknown = new UnknownNames();
  unknown.add(query, (schemas.querystring ?? noParameters) as ObjectSchema);
  if (schemas.body) unknown.add(body, schemas.body as ObjectSchema);
  const { names, meant } = unknown;
  if (names.length === 0) return undefined;
  return meant.length > 0 ? { ignored: names, didYouMean: meant } : { ignored: names };
}

/** The response body with the ignored names in `meta`, if the body is an object. */
export function withIgnored(body: unknown, ignored: Ignored | undefined): unknown {
  if (!ignored || !isJsonObject(body)) return body;
  return { ...body, meta: { ...(body.meta as object | undefined), ...ignored } };
}

/** For responses that have no member for it: `limt;meant=limit, other`, in percent-encoding. */
function headerOf({ ignored, didYouMean = [] }: Ignored): string {
  const meant = new Map(didYouMean.map(({ sent, known }) => [sent, `;meant=${encodeURIComponent(known)}`]));
  return ignored.map((name) => encodeURIComponent(name) + (meant.get(name) ?? '')).join(', ');
}

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

/**
 * Lists unknown names of the request in `meta.ignored` of the response, or in the header `Ignored-Fields` of
 * a 204, an array, a stream or a file; see also `refuseUnknown`.
 */
export const ignoredFieldsNamed = globalPlugin('ignored-fields', async (app: FastifyInstance) => {
  app.decorateRequest('ignored');
  app.addHook('onRoute', (route) => {
    route.schema &&= { ...route.schema };
    if (extendResponses(route)) route.config = { ...route.config, namesIgnored: true };
    refuseUnknown(route);
  });
  app.addHook('preHandler', (request, reply, done) => {
    const { config, schema } = request.routeOptions;
    const ignored = config.public ? undefined : ignoredIn(request, schema ?? {});
    if (config.namesIgnored) request.ignored = ignored;
    else if (ignored) reply.header('Ignored-Fields', headerOf(ignored));
    done();
  });
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const named = request.ignored && reply.statusCode < 300 ? withIgnored(payload, request.ignored) : payload;
    done(null, named);
  });
  // A stream is not serialized.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { ignored } = request;
    if (ignored && reply.statusCode < 300 && payload instanceof Readable)
      reply.header('Ignored-Fields', headerOf(ignored));
    done(null, payload);
  });
});
