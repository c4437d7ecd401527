import { type Command, InvalidArgumentError, Option } from 'commander';
import { memoryTypes, roles } from '../../domain/memories/memory.ts';
import { parseJson } from '../../lib/json-depth.ts';
import { collect } from '../client/service-options.ts';
import { readTime } from '../output/local-time.ts';

type Metadata = Readonly<Record<string, unknown>>;

/** Options of `add` and `edit`: the fields of a memory other than its text. */
export interface FieldOptions {
  readonly topic?: readonly string[];
  readonly metadata?: Metadata;
  readonly name?: string;
  readonly type?: string;
  readonly role?: string;
  readonly eventTime?: string;
  readonly validFrom?: string;
  readonly validTo?: string;
}

const pair = /^([^=]+?)(:?)=([\s\S]*)$/;

/**
 * `KEY=VALUE` is a text, `KEY:=VALUE` any JSON. Dots in a key lead into objects, as they do in filters.
 * @throws InvalidArgumentError
 */
export function readMetadata(text: string, before: Metadata = {}): Metadata {
  const [, key, colon, value = ''] = pair.exec(text) ?? [];
  if (key === undefined) throw new InvalidArgumentError('It must be KEY=VALUE, or KEY:=JSON.');
  return withMember(before, key.split('.'), colon === '' ? value : jsonValue(value));
}

function jsonValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidArgumentError(`What follows := is not JSON: ${(error as Error).message}.`);
  }
}

function withMember(object: Metadata, [key = '', ...rest]: readonly string[], value: unknown): Metadata {
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = object[key];
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  return { ...object, [key]: withMember(isObject ? (inner as Metadata) : {}, rest, value) };
}

/** Adds the options that `FieldOptions` are read from. */
export function addFieldOptions(command: Command): Command {
  return command
    .option('--topic <name>', 'a topic; may be given several times', collect)
    .option('--metadata <key=value>', 'a text, or KEY:=JSON; may be given several times', readMetadata)
    .option('--name <name>', 'a name by which it is known, such as release-plan')
    .addOption(new Option('--type <type>', 'what kind of memory it is').choices(memoryTypes))
    .addOption(new Option('--role <role>', 'who said it').choices(roles))
    .option('--event-time <time>', 'when it happened: 2026-11-22, "2026-11-22 14:05" or ISO 8601')
    .option('--valid-from <time>', 'from when it is true')
    .option('--valid-to <time>', 'until when it is true');
}

const optionalTime = (text: string | undefined, bound?: 'end') => text && readTime(text, bound);

/** The fields of a body that these options state; undefined: not stated. */
export function toFields(options: FieldOptions) {
  return {
    topics: options.topic,
    metadata: options.metadata,
    name: options.name,
    memoryType: options.type,
    role: options.role,
    eventTime: optionalTime(options.eventTime),
    validFrom: optionalTime(options.validFrom),
    validTo: optionalTime(options.validTo, 'end'),
  };
}
