import type { ErrorObject } from 'ajv';
import { nearest } from './names.ts';

const fieldLengthMax = 100;

/** A JSON pointer as people write it: `/topics/0` becomes `topics[0]`. */
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

/** The `rule` of a schema says in words what its pattern demands. */
function ruleOfPattern({ parentSchema, params }: ErrorObject): string {
  const rule = (parentSchema as { rule?: string } | undefined)?.rule;
  return rule ?? `must match ${String((params as Params).pattern)}`;
}

interface BrokenRule {
  /** As people write it, such as `topics[0]`; empty for the whole value. */
  readonly field: string;
  /** Completes the sentence "`field` …". */
  readonly rule: string;
}

function unknownField(parent: string, { params, parentSchema }: ErrorObject): BrokenRule {
  const name = String((params as Params).additionalProperty);
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object };
  const meant = nearest(name, Object.keys(properties));
  const field = (parent === '' ? name : `${parent}.${name}`).slice(0, fieldLengthMax).toWellFormed();
  return { field, rule: `is not known here${meant === undefined ? '' : `; did you mean ${meant}?`}` };
}

/** The rule of a schema that a value breaks, as words. */
export function toBrokenRule(error: ErrorObject): BrokenRule {
  const field = fieldAt(error.instancePath);
  if (error.keyword === 'required') {
    const missing = String((error.params as Params).missingProperty);
    return { field: field === '' ? missing : `${field}.${missing}`, rule: 'is required' };
  }
  if (error.keyword === 'additionalProperties') return unknownField(field, error);
  return {
    field,
    rule: rules[error.keyword]?.(error.params as Params, error) ?? error.message ?? 'is not valid',
  };
}
