import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput } from '../domain/shared/errors.ts';

/** `unicode: false` counts lengths in UTF-16 units, as JavaScript clients do; Ajv calls it deprecated on the console. */
const shared = {
  allErrors: false,
  unicode: false,
  strict: false,
  // JSON reads 1e400 as infinity, which no engine stores.
  strictNumbers: true,
  useDefaults: true,
  logger: false,
  verbose: true,
} as const;

/** Bodies are taken as they are; what comes as text in a URL is read as what the schema says. */
const bodies = new Ajv({ ...shared, coerceTypes: false });
const texts = new Ajv({ ...shared, coerceTypes: true });

export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart === 'querystring') return queryValidator(schema as QuerySchema);
  return (httpPart === 'body' ? bodies : texts).compile(schema);
};

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
}

/** What Ajv reads as a number beyond these (`0x10`, `1e3`, ` 5`) nobody means as one. */
const numberTexts: Readonly<Record<string, readonly [RegExp, string]>> = {
  integer: [/^-?\d+$/, 'must be a whole number'],
  number: [/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/, 'must be a number'],
};

/** Checks a query after taking away parameters without a value: `?topics=` is no filter, and `?limit=` the usual page. */
function queryValidator(schema: QuerySchema) {
  const validate = texts.compile(schema);
  const numbers = Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) =>
    typeof type === 'string' && type in numberTexts ? [{ name, rule: numberTexts[type] }] : [],
  );
  return (query: Record<string, unknown>) => {
    for (const name of Object.keys(query)) if (query[name] === '') delete query[name];
    for (const { name, rule } of numbers) {
      const text = query[name];
      if (typeof text === 'string' && !rule[0].test(text)) return { error: invalidInput(name, rule[1]) };
    }
    return validate(query) ? { value: query } : { error: validate.errors as unknown as Error };
  };
}

/** `/topics/0` as people write it: `topics[0]`. */
function fieldAt(path: string): string {
  return path
    .split('/')
    .slice(1)
    .reduce(
      (field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : field === '' ? part : `${field}.${part}`),
      '',
    );
}

type Params = Readonly<Record<string, unknown>>;

const rules: Readonly<Record<string, (params: Params, error: ErrorObject) => string>> = {
  type: ({ type }) => `must be ${typeName(String(type))}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  maxProperties: ({ limit }) => `must have at most ${limit} members`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  pattern: (_, error) => ruleOfPattern(error),
};

function typeName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'a text',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  };
  return type
    .split(',')
    .map((name) => names[name] ?? name)
    .join(' or ');
}

/** Schemas with a pattern say in `description` what it means. */
function ruleOfPattern({ parentSchema, params }: ErrorObject): string {
  const rule = (parentSchema as { rule?: string } | undefined)?.rule;
  return rule ?? `must match ${String((params as Params).pattern)}`;
}

/** 422 for the first rule that a request breaks. */
export function toInputError(errors: readonly ErrorObject[], part: string): Error {
  const [error] = errors;
  const field = fieldAt(error.instancePath);
  if (error.keyword === 'required') {
    const missing = String((error.params as Params).missingProperty);
    return invalidInput(field === '' ? missing : `${field}.${missing}`, 'is required');
  }
  const rule = rules[error.keyword]?.(error.params as Params, error) ?? error.message ?? 'is not valid';
  return invalidInput(field === '' ? nameOfPart(part) : field, rule);
}

function nameOfPart(part: string): string {
  return part === 'body' ? 'the body' : part;
}
