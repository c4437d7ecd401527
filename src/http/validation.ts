import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput } from '../domain/shared/errors.ts';
import { toBrokenRule } from '../lib/schema-rules.ts';
import { compileLate } from './compile-late.ts';

/** `unicode: false` counts lengths in UTF-16 units, as JavaScript clients do; Ajv calls it deprecated on the console. */
const shared = {
  allErrors: false,
  unicode: false,
  strict: false,
  // Tests compare every schema with JSON Schema's own; here that would take most of a route's first request.
  validateSchema: false,
  // JSON reads 1e400 as infinity, which no engine stores.
  strictNumbers: true,
  useDefaults: true,
  logger: false,
  verbose: true,
} as const;

/** Bodies are taken as they are; what comes as text in a URL is read as what the schema says. */
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

/** Texts of a URL that are numbers: Ajv would also read `0x10`, `1e3` and ` 5`, which nobody means as one. */
const numberTexts: Readonly<Record<string, readonly [RegExp, string]>> = {
  integer: [/^-?\d+$/, 'must be a whole number'],
  number: [/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/, 'must be a number'],
};

/** Checks a query after taking away parameters without a value: `?topics=` is no filter, and `?limit=` the usual page. */
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

/** 422 for the first rule that a request breaks. */
export function toInputError(errors: readonly ErrorObject[], part: string): Error {
  const { field, rule } = toBrokenRule(errors[0]);
  return invalidInput(field === '' ? nameOfPart(part) : field, rule);
}

function nameOfPart(part: string): string {
  return part === 'body' ? 'the body' : part;
}
