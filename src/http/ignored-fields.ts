import { nearest } from '../lib/nearest.ts';

/** The keywords of a JSON schema that name the members of an object. */
export interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly items?: unknown;
}

const noParameters: ObjectSchema = { properties: {} };
const namesMax = 20;
const nameLengthMax = 100;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields of a request that its endpoint does not know; names are paths, each cut to 100 UTF-16 units. */
export interface Ignored {
  readonly ignored: readonly string[];
  /** Known names close to the ignored ones; undefined if there are none. */
  readonly didYouMean?: readonly { readonly sent: string; readonly known: string }[];
}

class UnknownNames {
  readonly names: string[] = [];
  readonly meant: { readonly sent: string; readonly known: string }[] = [];

  add(value: unknown, schema: ObjectSchema, parent = ''): void {
    if (Array.isArray(value)) {
      if (isObject(schema.items)) for (const item of value) this.add(item, schema.items, parent);
      return;
    }
    const { properties } = schema;
    // A schema without named members accepts any.
    if (!isObject(value) || !properties || schema.additionalProperties || schema.patternProperties) return;
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
  if (!ignored || !isObject(body)) return body;
  return { ...body, meta: { ...(body.meta as object | undefined), ...ignored } };
}
