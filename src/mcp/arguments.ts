import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { assertTexts } from '../domain/shared/storable-text.ts';
import { toBrokenRule } from '../lib/schema-rules.ts';
import type { Tool } from './tool.ts';

/** Validator of arguments, as for HTTP bodies: no coercion of types, lengths in UTF-16 units. */
const ajv = new Ajv({
  allErrors: false,
  unicode: false,
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  coerceTypes: false,
  logger: false,
  verbose: true,
  // Formats are hints for agents; the reader of a value checks it.
  validateFormats: false,
} as ConstructorParameters<typeof Ajv>[0]);

const validators = new WeakMap<Tool, ValidateFunction>();

function validatorOf(tool: Tool): ValidateFunction {
  const known = validators.get(tool);
  if (known) return known;
  const made = ajv.compile(tool.input);
  validators.set(tool, made);
  return made;
}

/** Sentence for the agent that names what is wrong with the arguments of its call. */
export class WrongArguments extends Error {}

function sentence(tool: Tool, error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const known = Object.keys(tool.input.properties).join(', ');
    return `${tool.name} has no argument ${JSON.stringify(additionalProperty.slice(0, 100))}; it has ${known}.`;
  }
  const { field, rule } = toBrokenRule(error);
  return `${field === '' ? 'The arguments' : field} ${rule}.`;
}

/**
 * The arguments with defaults filled in.
 * @throws WrongArguments; AppError 422 for texts that cannot be stored
 */
export function checkedArguments(tool: Tool, given: unknown): unknown {
  // Checked before any recursive code without a depth limit.
  assertTexts(given);
  const args = structuredClone(given ?? {});
  const validate = validatorOf(tool);
  if (validate(args)) return args;
  const [error] = validate.errors ?? [];
  throw new WrongArguments(error ? sentence(tool, error) : 'The arguments are not valid.');
}
