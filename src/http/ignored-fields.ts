/** The keywords of a JSON schema that name the members of an object. */
export interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly items?: unknown;
}

const namesMax = 20;
const nameLengthMax = 100;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function addIgnored(value: unknown, schema: ObjectSchema, parent: string, names: string[]): void {
  if (Array.isArray(value)) {
    if (isObject(schema.items))
      for (const item of value) addIgnored(item, schema.items as ObjectSchema, parent, names);
    return;
  }
  // A schema that names no members takes any.
  if (!isObject(value) || !schema.properties || schema.additionalProperties || schema.patternProperties)
    return;
  for (const name of Object.keys(value)) {
    if (names.length === namesMax) return;
    if (!Object.hasOwn(schema.properties, name)) {
      const shown = (parent + name).slice(0, nameLengthMax).toWellFormed();
      if (!names.includes(shown)) names.push(shown);
    } else if (typeof value[name] === 'object')
      addIgnored(value[name], schema.properties[name] as ObjectSchema, `${parent}${name}.`, names);
  }
}

/** Paths of the members of a body that its schema does not name, the first 20, each cut to 100 UTF-16 units. */
export function ignoredFields(body: unknown, schema: ObjectSchema): readonly string[] {
  const names: string[] = [];
  addIgnored(body, schema, '', names);
  return names;
}

/** A response body that names them in `meta`, where it is an object. */
export function withIgnored(body: unknown, ignored: readonly string[] | undefined): unknown {
  if (!ignored || !isObject(body)) return body;
  return { ...body, meta: { ...(body.meta as object | undefined), ignored } };
}
