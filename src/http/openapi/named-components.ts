import type { DocumentObject } from './document.ts';

type Json = Readonly<Record<string, unknown>>;

/** Members whose values are data and no schemas. */
const literals = new Set(['example', 'examples', 'default', 'enum', 'required']);
/** Options of ours, which are no part of a schema. */
const ownOptions = new Set(['x-component', 'x-parameter', 'clampTo']);

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Moves schemas and parameters with a name (schemas/component.ts) to the components of a document. */
class Components {
  readonly schemas = new Map<string, unknown>();
  readonly parameters = new Map<string, unknown>();

  /** The value with references in place of what has a name. */
  referring(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.referring(item));
    if (!isObject(value)) return value;
    const made = this.#withoutOptions(value);
    if (typeof value['x-component'] === 'string') return this.#refer('schemas', value['x-component'], made);
    const { schema } = value;
    if (typeof value.in === 'string' && isObject(schema) && typeof schema['x-parameter'] === 'string')
      return this.#refer('parameters', schema['x-parameter'], made);
    return made;
  }

  #withoutOptions(value: Json): Json {
    const members = Object.entries(value).filter(([key]) => !ownOptions.has(key));
    return Object.fromEntries(members.map(([key, member]) => this.#member(key, member)));
  }

  #member(key: string, member: unknown): [string, unknown] {
    // Names of properties are any words, those of keywords too.
    if (key === 'properties' && isObject(member)) {
      const properties = Object.entries(member).map(([name, schema]) => [name, this.referring(schema)]);
      return [key, Object.fromEntries(properties)];
    }
    // The sentence that our validator answers with; other keywords than those of OpenAPI begin with x-.
    if (key === 'rule') return ['x-rule', member];
    return [key, literals.has(key) ? member : this.referring(member)];
  }

  #refer(kind: 'schemas' | 'parameters', name: string, made: Json): Json {
    const before = this[kind].get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(made))
      throw new Error(`Different ${kind} of the OpenAPI document have the name ${name}.`);
    this[kind].set(name, made);
    return { $ref: `#/components/${kind}/${name}` };
  }
}

function inOrder(named: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes what has a name once, in the components. @throws Error where different schemas have one name */
export function withNamedComponents(document: DocumentObject): DocumentObject {
  const components = new Components();
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    components.schemas.set(name, components.referring(schema));
  const paths = components.referring(document.paths) as DocumentObject['paths'];
  return {
    ...document,
    paths,
    components: {
      ...document.components,
      schemas: inOrder(components.schemas),
      parameters: inOrder(components.parameters),
    },
  };
}
