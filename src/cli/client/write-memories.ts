import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { editor } from '../../config/load.ts';
import { memoryTypes, roles } from '../../domain/memories/memory.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { readText } from '../options.ts';
import { readTime } from '../output/local-time.ts';
import { print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { type FoundMemory, findMemory } from './find-memory.ts';
import { type AskOptions, collect, Service, serviceCommand } from './service.ts';

interface AddOptions extends AskOptions, FieldOptions {
  readonly conversation?: string;
  readonly externalId?: string;
}

interface Created {
  readonly data: MemoryRecord;
  readonly meta: { readonly conversationCreated: boolean; readonly existing?: boolean };
}

/** `memoryd add TEXT|-` */
export function addCommand(): Command {
  return addFieldOptions(serviceCommand('add'))
    .argument('<text...>', 'what to remember; - reads standard input')
    .option('--conversation <id>', 'of which it is a part; NEW begins one (default: the service decides)')
    .option('--external-id <id>', 'what another system calls it: a second add with it stores nothing')
    .action(async (words: readonly string[], options: AddOptions) => {
      const { conversation: conversationId, externalId } = options;
      const content = await readText(words);
      const { body } = await new Service(options).ask({
        path: '/api/memories',
        body: { content, conversationId, externalId, ...toFields(options) },
        // A request that is sent again because its response was lost stores nothing twice.
        idempotencyKey: `add-${randomUUID()}`,
      });
      if (options.json) printJson(body);
      else print(describeCreated(body as unknown as Created));
    });
}

function describeCreated({ data, meta }: Created): string {
  if (meta.existing) return `It is there already, and was left as it is: ${data.id}`;
  const place = meta.conversationCreated ? 'a new conversation' : `the conversation ${data.conversationId}`;
  return `Stored in ${place}: ${data.id}`;
}

type EditOptions = AskOptions & FieldOptions;

const nothingGiven =
  'say what to change: the new text, - for standard input, or an option; without them it opens an editor where there is a terminal';

/** `memoryd edit ID|NAME [TEXT|-]` */
export function editCommand(): Command {
  return addFieldOptions(serviceCommand('edit'))
    .argument('<id>', 'of a memory: its beginning is enough; or its name')
    .argument(
      '[text...]',
      'the new text; - reads standard input; without it, and without options, $EDITOR is opened',
    )
    .action(async (reference: string, words: readonly string[], options: EditOptions, command: Command) => {
      const fields = toFields(options);
      const isStated = Object.values(fields).some((value) => value !== undefined);
      const byHand = words.length === 0 && !isStated;
      if (byHand && !(process.stdin.isTTY && process.stdout.isTTY)) command.error(`error: ${nothingGiven}`);
      const service = new Service(options);
      const found = await findMemory(service, reference);
      const save = (content?: string) => update(service, found, { content, ...fields });
      const content = words.length === 0 ? undefined : await readText(words);
      const body = byHand ? await editByHand(found, save) : await save(content);
      if (body === undefined) note('Nothing was changed.');
      else if (options.json) printJson(body);
      else print(`Changed ${(body.data as MemoryRecord).id}`);
    });
}

/** @throws RefusedError, with 412 if the memory has changed since it was read */
async function update(service: Service, { memory, etag }: FoundMemory, body: object) {
  return (await service.ask({ method: 'PUT', path: `/api/memories/${memory.id}`, body, ifMatch: etag })).body;
}

/** A text that cannot be stored stays in its file: it is a person's work. */
async function editByHand({ memory }: FoundMemory, save: (text: string) => ReturnType<typeof update>) {
  const file = new EditedFile(memory.content);
  let text: string | undefined;
  try {
    text = file.edit(editor());
    const body = text === undefined ? undefined : await save(text);
    file.remove();
    return body;
  } catch (error) {
    if (file.read() === undefined) {
      file.remove();
      throw error;
    }
    throw new Error(`${(error as Error).message} What you wrote is in ${file.path}`, { cause: error });
  }
}

/** A text in a file of mode 0600, readable only by its owner, while a person edits it. */
export class EditedFile {
  readonly path: string;
  readonly #folder: string;
  readonly #before: string;

  constructor(text: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'memoryd-edit-'));
    this.path = join(this.#folder, 'memory.md');
    this.#before = text;
    writeFileSync(this.path, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  }

  /**
   * Runs the editor and waits for its end.
   * @param editor words of a shell, as EDITOR has them
   * @returns the text; undefined if it is unchanged
   * @throws Error if the editor fails
   */
  edit(editor: string): string | undefined {
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', this.path], {
      stdio: 'inherit',
    });
    if (error) throw new Error(`The editor ${editor} cannot be started: ${error.message}`);
    if (status !== 0) throw new Error(`The editor ${editor} ended with ${status}: nothing was changed.`);
    return this.read();
  }

  /** The text; undefined if it is unchanged. */
  read(): string | undefined {
    const written = readFileSync(this.path, 'utf8');
    // Editors end the last line.
    const after = this.#before.endsWith('\n') ? written : written.replace(/\r?\n$/, '');
    return after === this.#before ? undefined : after;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Metadata = Readonly<Record<string, unknown>>;

/** Options of `add` and `edit`: the fields of a memory other than its text. */
interface FieldOptions {
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
  return { ...object, [key]: withMember(isJsonObject(inner) ? inner : {}, rest, value) };
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
