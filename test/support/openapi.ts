import type { Client } from './http-client.ts';

/** As much of JSON Schema as an OpenAPI document of ours uses. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
}

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  allowEmptyValue?: boolean;
  example?: unknown;
  schema?: Schema & { example?: unknown; default?: unknown };
}

type Reference = { $ref: string };

/** One method of one path; `body` is the schema of its JSON body. */
export interface Operation {
  method: string;
  /** With `{name}` for each path parameter. */
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Of the body. */
  example: unknown;
}

export interface ResponseObject {
  description: string;
  content?: Record<string, { schema?: Schema }>;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: unknown[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema; example?: unknown }> };
  responses: Record<string, ResponseObject | Reference>;
}

/** As much of an OpenAPI document as tests read. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, ResponseObject>;
  };
}

/** What a reference of the document names, or the value itself where it is none. */
export function dereferenced<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const path = value.$ref.split('/').slice(1);
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document) as T;
}

/** The parameters of an operation, shared ones too. */
export function parametersOf(document: OpenApiDocument, { parameters = [] }: OperationObject): Parameter[] {
  return parameters.map((parameter) => dereferenced<Parameter>(document, parameter));
}

/** Every operation of the document with its method, in small letters, and path. */
export function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Every operation that a running service says it has, without the HEAD and OPTIONS that follow from them. */
export async function listOperations(http: Client): Promise<Operation[]> {
  const reply = await http.get<OpenApiDocument>('/api/openapi.json');
  if (reply.status !== 200) throw new Error(`/api/openapi.json answers ${reply.status}: ${reply.text}`);
  const document = reply.body;
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    // A stream without an end, which test/http/changes.test.ts reads.
    if (path === '/api/events') continue;
    for (const method of methods) {
      const found = item[method];
      if (!found) continue;
      const { schema: body, example } = found.requestBody?.content?.['application/json'] ?? {};
      const parameters = parametersOf(document, found).map((parameter) => ({
        ...parameter,
        schema: resolve(document, parameter.schema ?? {}),
      }));
      operations.push({
        method: method.toUpperCase(),
        path,
        parameters,
        body: body && resolve(document, body),
        example,
      });
    }
  }
  return operations;
}

/** The schema with every reference replaced by what it names; a schema inside itself becomes "anything". */
function resolve(document: OpenApiDocument, schema: Schema, seen: readonly string[] = []): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    if (seen.includes(name)) return {};
    return resolve(document, document.components.schemas[name] ?? {}, [...seen, name]);
  }
  const each = (schemas: Schema[] | undefined) => schemas?.map((inner) => resolve(document, inner, seen));
  const resolved: Schema = { ...schema };
  if (schema.properties)
    resolved.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, resolve(document, inner, seen)]),
    );
  if (schema.items) resolved.items = resolve(document, schema.items, seen);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const inner = each(schema[key]);
    if (inner) resolved[key] = inner;
  }
  return resolved;
}

/**
 * A small valid value of a schema. `give` may choose the value of a property by its name (an id, a name);
 * optional properties are left out unless `give` has something for them.
 */
export function exampleOf(schema: Schema, give: (name: string) => unknown, name = ''): unknown {
  const given = give(name);
  if (given !== undefined && schema.type !== 'array' && schema.type !== 'object') return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return exampleOf(choice, give, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties || schema.allOf) return exampleObject(schema, give);
  if (type === 'array') {
    const item = give(name) ?? exampleOf(schema.items ?? {}, give);
    return [item];
  }
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (schema.format === 'date-time' || /time|expires|^(from|to)$/i.test(name))
    return '2031-01-02T03:04:05.000Z';
  return 'word'.padEnd(schema.minLength ?? 0, 'x');
}

function exampleObject(schema: Schema, give: (name: string) => unknown): Record<string, unknown> {
  const parts = [schema, ...(schema.allOf ?? [])];
  const value: Record<string, unknown> = {};
  for (const part of parts)
    for (const [name, inner] of Object.entries(part.properties ?? {}))
      if (part.required?.includes(name) || give(name) !== undefined)
        value[name] = exampleOf(inner, give, name);
  return value;
}

/** Whether a program can go on with its key after this operation. */
export const keepsOwnKey = ({ method, path }: Operation): boolean =>
  !(method.toUpperCase() === 'DELETE' && path === '/api/apikeys/current');
