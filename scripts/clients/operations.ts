/*
 * What the generated parts of clients/python and clients/typescript are made of: the operations of the OpenAPI document and
 * its schemas, with nested objects as schemas of their own.
 */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly nullable?: boolean;
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface DocumentOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface ClientDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** A member of a query or of a body. */
export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly in: 'query' | 'body';
}

export interface Operation {
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly pathNames: readonly string[];
  /** Required ones first; of a body alone if the query has a member of the same name. */
  readonly members: readonly Member[];
  /** Undefined: no body; `text` for what is not JSON. */
  readonly answer: Schema | 'text' | undefined;
  readonly takesIfMatch: boolean;
}

/** Operations that are no matter of an HTTP client: a protocol of its own, and the document itself. */
const leftOut: ReadonlySet<string> = new Set([
  'postMcpMessage',
  'getMcpEvents',
  'endMcpSession',
  'getOpenApi',
  'streamChanges',
  'streamMemoryDigest',
]);

export function operationsOf({ paths, components }: ClientDocument): Operation[] {
  const parameterOf = (given: Parameter): Parameter =>
    (given.$ref && components.parameters?.[given.$ref.split('/').at(-1) ?? '']) || given;
  const schemaOf = (given: Schema | undefined): Schema | undefined =>
    given?.$ref ? components.schemas[given.$ref.split('/').at(-1) ?? ''] : given;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId: id, summary = '', parameters = [], requestBody, responses } = operation;
      if (id === undefined || leftOut.has(id)) return [];
      const given = parameters.map(parameterOf);
      const body = schemaOf(requestBody?.content?.['application/json']?.schema);
      const ofBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
        name,
        schema,
        required: body?.required?.includes(name) ?? false,
        in: 'body' as const,
      }));
      const ofQuery = given
        .filter((one) => one.in === 'query' && !ofBody.some(({ name }) => name === one.name))
        .map(({ name, schema, required = false }) => ({ name, schema, required, in: 'query' as const }));
      const members = [...ofBody, ...ofQuery].sort((a, b) => Number(b.required) - Number(a.required));
      const found = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const json = found?.content?.['application/json']?.schema;
      return [
        {
          id,
          method: method.toUpperCase(),
          path,
          summary,
          pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
          members,
          answer: json ?? (found?.content ? 'text' : undefined),
          takesIfMatch: given.some((one) => one.in === 'header' && one.name.toLowerCase() === 'if-match'),
        } satisfies Operation,
      ];
    }),
  );
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The schemas by name; each object within another is one of its own, named after both. */
export function namedSchemas(schemas: Readonly<Record<string, Schema>>): Map<string, Schema> {
  const named = new Map<string, Schema>();
  const nameFor = (wanted: string): string =>
    named.has(wanted) || wanted in schemas ? `${wanted}Part` : wanted;
  const apart = (schema: Schema, name: string): Schema => {
    const { properties, items, additionalProperties: rest, anyOf } = schema;
    if (anyOf) return { ...schema, anyOf: anyOf.map((one) => apart(one, name)) };
    if (items) return { ...schema, items: apart(items, name.replace(/s$/, '')) };
    if (properties && Object.keys(properties).length > 0) {
      const own = nameFor(name);
      named.set(own, {});
      named.set(own, membersApart(schema, own));
      return { $ref: `#/${own}`, nullable: schema.nullable, description: schema.description };
    }
    if (typeof rest === 'object') return { ...schema, additionalProperties: apart(rest, `${name}Value`) };
    return schema;
  };
  const membersApart = (schema: Schema, name: string): Schema => ({
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([member, of]) => [
        member,
        apart(of, name + capital(member)),
      ]),
    ),
  });
  for (const [name, schema] of Object.entries(schemas))
    named.set(name, schema.properties ? membersApart(schema, name) : schema);
  return named;
}

/** Names of all schemas that a schema needs. */
export function reachedFrom(roots: Iterable<Schema>, named: ReadonlyMap<string, Schema>): Set<string> {
  const reached = new Set<string>();
  const visit = ({ $ref, properties, items, anyOf, additionalProperties: rest }: Schema): void => {
    if ($ref) {
      const name = $ref.split('/').at(-1) ?? '';
      if (reached.has(name)) return;
      reached.add(name);
      visit(named.get(name) ?? {});
    }
    for (const one of [...Object.values(properties ?? {}), ...(anyOf ?? [])]) visit(one);
    if (items) visit(items);
    if (typeof rest === 'object') visit(rest);
  };
  for (const root of roots) visit(root);
  return reached;
}
