import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { DocumentObject } from './operations.ts';

/** Members with data as values, not schemas. */
const literals = new Set(['example', 'examples', 'default', 'enum', 'required']);
/** Our own options, which are not part of JSON Schema. */
const ownOptions = new Set(['x-component', 'x-parameter', 'clampTo']);

/** Moves named schemas and parameters (schemas/component.ts) to the components of a document. */
class Components {
  readonly schemas = new Map<string, unknown>();
  readonly parameters = new Map<string, unknown>();

  /** The value with named parts replaced by references. */
  referring(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.referring(item));
    if (!isJsonObject(value)) return value;
    const made = this.#withoutOptions(value);
    if (typeof value['x-component'] === 'string') return this.#refer('schemas', value['x-component'], made);
    const { schema } = value;
    if (typeof value.in === 'string' && isJsonObject(schema) && typeof schema['x-parameter'] === 'string')
      return this.#refer('parameters', schema['x-parameter'], made);
    return made;
  }

  #withoutOptions(value: JsonObject): JsonObject {
    const members = Object.entries(value).filter(([key]) => !ownOptions.has(key));
    return Object.fromEntries(members.map(([key, member]) => this.#member(key, member)));
  }

  #member(key: string, member: unknown): [string, unknown] {
    // Property names are arbitrary and may equal keywords.
    if (key === 'properties' && isJsonObject(member)) {
      const properties = Object.entries(member).map(([name, schema]) => [name, this.referring(schema)]);
      return [key, Object.fromEntries(properties)];
    }
    // `rule` is the message of our validator; OpenAPI requires `x-` before keywords of others.
    if (key === 'rule') return ['x-rule', member];
    return [key, literals.has(key) ? member : this.referring(member)];
  }

  #refer(kind: 'schemas' | 'parameters', name: string, made: JsonObject): JsonObject {
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

/** Writes each named part once, in the components. @throws Error if different schemas have the same name */
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
