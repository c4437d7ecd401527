import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput } from '../domain/shared/errors.ts';
import { toBrokenRule } from '../lib/schema-rules.ts';
import { errorSchemas } from './schemas/envelope.ts';

/** The routes that clients call first. */
const compiledAtStart = new Set(['/api/memories', '/api/memories/search']);

/**
 * Compiles the schemas of a route at its first request: compiling those of all routes
 * takes 15 MiB and half a second of every start, and one client calls few of them.
 */
function compileLate<F extends object>(url: string, compile: () => F): () => F {
  let compiled = compiledAtStart.has(url) ? compile() : undefined;
  return () => {
    compiled ??= compile();
    return compiled;
  };
}

/**
 * `unicode: false` counts lengths in UTF-16 units, as JavaScript clients do; Ajv logs a deprecation for it.
 */
const shared = {
  allErrors: false,
  unicode: false,
  strict: false,
  // Tests validate every schema against the JSON Schema meta-schema;
  // here that would take most of a route's first request.
  validateSchema: false,
  // JSON parses 1e400 as infinity, which no engine stores.
  strictNumbers: true,
  useDefaults: true,
  logger: false,
  verbose: true,
} as const;

/** Bodies are not coerced; texts in a URL are converted to the types of the schema. */
const bodies = new Ajv({ ...shared, coerceTypes: false });
const texts = new Ajv({ ...shared, coerceTypes: true });

/** Puts a number above the limit down to it. */
const clampTo: FuncKeywordDefinition = {
  keyword: 'clampTo',
  type: 'number',
  modifying: true,
  errors: false,
  validate: (most: number, value: number, _schema, at) => {
    if (value > most && at) at.parentData[at.parentDataProperty] = most;
    return true;
  },
};
for (const ajv of [bodies, texts]) ajv.addKeyword(clampTo);

export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart, url }) => {
  const ajv = httpPart === 'body' ? bodies : texts;
  const validatorOf = compileLate(url, () => ajv.compile(schema));
  const validate = (value: unknown) => {
    const validator = validatorOf();
    return validator(value) ? { value } : { error: validator.errors as unknown as Error };
  };
  return httpPart === 'querystring' ? queryValidator(schema as QuerySchema, validate) : validate;
};

/**
 * A check of one record of a body whose records fail alone; compiled at its first call.
 * @returns a function that throws 422 with the first rule that a record breaks
 */
export function recordCheck(schema: object): (record: unknown) => void {
  const validatorOf = compileLate('', () => bodies.compile(schema));
  return (record) => {
    const validate = validatorOf();
    if (!validate(record)) throw toInputError(validate.errors as ErrorObject[], 'the memory');
  };
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
}

/** Number formats in a URL: Ajv would also accept `0x10`, `1e3` and ` 5`. */
const numberTexts: Readonly<Record<string, readonly [RegExp, string]>> = {
  integer: [/^-?\d+$/, 'must be a whole number'],
  number: [/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/, 'must be a number'],
};

/**
 * Validates a query without its empty parameters: `?topics=` is no filter, and `?limit=` the default page.
 */
function queryValidator(schema: QuerySchema, validate: (query: unknown) => object) {
  const numbers = Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) =>
    typeof type === 'string' && type in numberTexts ? [{ name, rule: numberTexts[type] }] : [],
  );
  return (query: Record<string, unknown>) => {
    for (const name of Object.keys(query)) if (query[name] === '') delete query[name];
    for (const { name, rule } of numbers) {
      const text = query[name];
      if (typeof text === 'string' && !rule[0].test(text)) return { error: invalidInput(name, rule[1]) };
    }
    return validate(query);
  };
}

/** 422 with the first rule that a request breaks. */
export function toInputError(errors: readonly ErrorObject[], part: string): Error {
  const { field, rule } = toBrokenRule(errors[0]);
  return invalidInput(field === '' ? nameOfPart(part) : field, rule);
}

function nameOfPart(part: string): string {
  return part === 'body' ? 'the body' : part;
}

const failures = new Set<unknown>(errorSchemas);
const toJson: SerializerSelector.Serializer = (body) => JSON.stringify(body);

/**
 * Compiles response schemas to serializers, except those of failures: `sendError` serializes
 * failures itself, and fourteen schemas a route took most of the app's construction time. Each
 * serializer also makes objects with a first member of its own, and V8 keeps 1,536 first members
 * of a `{}`: once all are used, every `{}` of a request (such as its headers) gets a hidden class
 * of its own, and access is slow. The package and version are those of Fastify's own compiler.
 */
export const serializerFactory: SerializerSelector.SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => {
    if (failures.has((route.schema as { $ref?: unknown })?.$ref)) return toJson;
    const serializer = compileLate(route.url, () => compile(route));
    return (body) => serializer()(body);
  };
};
