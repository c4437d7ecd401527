import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput } from '../domain/shared/errors.ts';
import { toBrokenRule } from '../lib/schema-rules.ts';
import { compileLate } from './compile-late.ts';

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
