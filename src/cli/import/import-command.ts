import { Command, InvalidArgumentError, Option } from 'commander';
import { clientVariables, loadClientSettings } from '../../config/load.ts';
import { parseTime } from '../../domain/shared/time.ts';
import { hookAgent } from '../../domain/shared/user-ref.ts';
import { assertUserName } from '../../domain/users/user-service.ts';
import { ApiClient, assertService } from '../client/api-client.ts';
import { addServiceOptions, collect, findService, readUrl } from '../client/service.ts';
import { print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { withStorage } from '../store/with-storage.ts';
import { standardStream, withInputFile } from '../transfer/input-file.ts';
import { loadFile } from '../transfer/load-file.ts';
import { readHead } from '../transfer/read-file.ts';
import { type NamedPath, withInputs } from './input/open-inputs.ts';
import { removeLeftovers } from './input/temp-files.ts';
import { preview } from './preview.ts';
import { findAgent } from './readers/agents/project.ts';
import { readers } from './readers/index.ts';
import type { Input, InputFile, ReadOptions } from './readers/reader.ts';
import { countMemories, otherService } from './readers/services/other-service.ts';
import { withoutSecrets } from './readers/without-secrets.ts';
import { runImport, type Source } from './run-import.ts';
import { filesOf, sourcesOf } from './sources.ts';
import { ChangedFiles, lookRepeatedly } from './watch-inputs.ts';
import type { Report } from './write/report.ts';

interface Options {
  readonly from?: string;
  readonly fromKey?: string;
  readonly as?: string;
  readonly user?: string;
  readonly url?: string;
  readonly key?: string;
  readonly since?: Date;
  readonly only?: readonly string[];
  readonly map?: ReadonlyMap<string, string>;
  readonly hideSecrets?: true;
  readonly watch?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly byHook?: true;
}

/** The first line of a file of `memoryd export`. */
const exportMark = /^\{"format":"memoryd-(export|backup)",/;
const headBytes = 100;
const exitOnInterrupt = 130;
const sourceNameMax = 500;

/** `memoryd import PATH...` */
export function importCommand(): Command {
  const command = new Command('import')
    .argument(
      '[path...]',
      'files, folders, zips, see docs/import.md; claude-code, codex: its sessions; - is standard input',
    )
    .option('--from <url>', 'all of a user of another service of this API, in place of paths', readUrl)
    .option('--from-key <key>', 'the key of that user there (default: MEMORYD_FROM_KEY)')
    .option('--as <format>', `instead of knowing it by its content: ${formats()}`, readFormat)
    .option('--hide-secrets', 'send [hidden] for what looks like a key or a password')
    .option('--watch', 'then import what changes, until it is interrupted')
    .option('--dry-run', 'read all and print what would be sent, without a service')
    .option('--since <time>', 'leave out what is older', readSince)
    .option('--only <name>', 'only this project, session or user of the source; several times', collect)
    .option(
      '--map <name=field>',
      'of JSON Lines and CSV: the name in the file, the field here; several times',
      readMap,
    )
    .option(
      '--user <name>',
      'for a file of `memoryd export`, which goes straight to the store: who gets it (default: the name in it)',
    )
    .option('--json', 'print the result as one JSON document')
    // Of `memoryd hook`: hosts read the output of a hook.
    .addOption(new Option('--by-hook').hideHelp());
  return addServiceOptions(command).action((paths: readonly string[], options: Options) => {
    const { from, as, user, watch } = options;
    if (from === undefined) {
      if (paths.length === 0) command.error('error: give files, folders or zips, or --from URL');
      return withStreams(paths, [], (named) => importPaths(named, options));
    }
    if (paths.length > 0 || as !== undefined || user !== undefined || watch)
      command.error('error: --from takes no paths, --as, --user or --watch; run it again for what is new');
    return importFrom(from, options);
  });
}

const formats = () => readers.map(({ format }) => format).join(', ');

function readFormat(text: string): string {
  if (readers.some(({ format }) => format === text)) return text;
  throw new InvalidArgumentError(`It must be one of ${formats()}.`);
}

function readSince(text: string): Date {
  try {
    return new Date(parseTime(text, '--since'));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function readMap(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [name, field] = text.split(/=(?=[^=]*$)/);
  if (!name || !field) throw new InvalidArgumentError('It must be NAME=FIELD, such as text=content.');
  return new Map([...before, [name, field]]);
}

/** Streams are copied to files for the duration of `run`. */
async function withStreams(
  [first, ...rest]: readonly string[],
  named: readonly NamedPath[],
  run: (named: readonly NamedPath[]) => Promise<void>,
): Promise<void> {
  if (first === undefined) return run(named);
  const found = findAgent(first);
  if (found !== undefined) return withStreams(rest, [...named, found], run);
  const isStream = first === standardStream || first.startsWith('/dev/');
  if (!isStream) return withStreams(rest, [...named, { path: first, name: first }], run);
  await withInputFile(first, (input) => withStreams(rest, [...named, input], run));
}

/** @throws Error if there is no key, or no service that takes it */
async function importFrom(url: string, options: Options): Promise<void> {
  const ofSettings = loadClientSettings().fromKey;
  const key = options.fromKey ?? ofSettings;
  const variable = clientVariables.fromKey;
  if (!key) throw new Error(`No key for ${url}: give --from-key or ${variable}.`);
  const readOptions = readOptionsOf(options);
  const run = new ImportRun(readOptions, options);
  const keySource = options.fromKey === undefined ? variable : '--from-key';
  const api = new ApiClient({ url, key, keySource }, run.signal);
  await assertService(api);
  const input = { name: url, files: [] };
  const records = await countMemories(api);
  const sources = asShown([{ input, reader: otherService(api), records }], options);
  if (!options.dryRun) return run.import(sources);
  const hasRefused = await preview(sources, { ...readOptions, json: options.json ?? false });
  process.exitCode = hasRefused ? 1 : 0;
}

/** The sources without their secrets, if those are to be hidden. */
const asShown = (sources: readonly Source[], { hideSecrets }: Options): readonly Source[] =>
  hideSecrets ? sources.map((source) => ({ ...source, reader: withoutSecrets(source.reader) })) : sources;

const readOptionsOf = ({ map = new Map<string, string>(), only, since }: Options): ReadOptions => ({
  map,
  only: new Set(only),
  since,
});

async function importPaths(named: readonly NamedPath[], options: Options): Promise<void> {
  removeLeftovers();
  const readOptions = readOptionsOf(options);
  const changed = new ChangedFiles();
  const run = new ImportRun(readOptions, options);
  await withInputs(named, async (inputs) => {
    const ofStore = await exportFile(inputs);
    if (ofStore !== undefined) return importUser(await ofStore.diskPath(), inputs[0].name, options);
    if (options.user !== undefined)
      throw new Error('--user is for a file of `memoryd export`; other files go to the owner of --key.');
    const sources = asShown(await sourcesOf(inputs, options.as), options);
    if (!options.json) for (const { input, reader } of sources) note(`${input.name}: ${reader.title}`);
    if (!options.dryRun) return run.import(changed.of(sources));
    const hasRefused = await preview(sources, { ...readOptions, json: options.json ?? false });
    process.exitCode = hasRefused ? 1 : 0;
  });
  if (!options.watch || options.dryRun) return;
  await lookRepeatedly(
    () =>
      withInputs(named, async (inputs) => {
        const sources = changed.of(asShown(await sourcesOf(inputs, options.as), options));
        if (sources.length > 0) await run.import(sources);
      }),
    run.signal,
  );
}

/** The file of `memoryd export` that is to be imported. @throws Error if there are others besides it */
async function exportFile(inputs: readonly Input[]): Promise<InputFile | undefined> {
  for (const { name, files } of inputs) {
    const [file] = files;
    if (files.length !== 1 || !exportMark.test(await file.head(headBytes))) continue;
    if (inputs.length > 1) throw new Error(`${name} is a file of \`memoryd export\`: import it by itself.`);
    return file;
  }
  return undefined;
}

async function importUser(path: string, name: string, { user, hideSecrets }: Options): Promise<void> {
  if (hideSecrets)
    throw new Error(
      `--hide-secrets is not for ${name}: a file of \`memoryd export\` goes to the store as it is.`,
    );
  if (user !== undefined) assertUserName(user);
  const head = await readHead(path, name);
  if (!head) throw new Error(`${name} has no first line of \`memoryd export\`.`);
  await withStorage(async ({ transfer }) => {
    const loaded = await loadFile(transfer, { path, name, head, format: 'memoryd-export', as: user });
    print(`Stored ${loaded.rows} rows for ${loaded.user}.`);
  });
}

/** Imports sources, and more of them while a folder is watched: all are one import. */
class ImportRun {
  readonly #readOptions: ReadOptions;
  readonly #options: Options;
  readonly #interrupt = new AbortController();
  #importId: string | undefined;
  #isListening = false;

  constructor(readOptions: ReadOptions, options: Options) {
    this.#readOptions = readOptions;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#interrupt.signal;
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const onSignal = () => this.#interrupt.abort();
    // Once: a second signal ends the process at once, as it would have without us.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  }

  async import(sources: readonly Source[]): Promise<void> {
    this.#listen();
    const others = sources.length > 1 ? ` and ${sources.length - 1} more` : '';
    const { report, stopped, importId } = await runImport({
      sources,
      options: this.#readOptions,
      name: (sources[0].input.name.slice(-sourceNameMax + others.length) + others).toWellFormed(),
      importId: this.#importId,
      service: { ...findService(this.#options), ...(this.#options.byHook && { agent: hookAgent }) },
      signal: this.signal,
    });
    this.#importId = importId;
    if (this.#options.json)
      printJson({ data: { files: filesOf(sources), importId, stopped, ...report.toJson() } });
    else if (!this.#options.byHook) printReport(report, importId);
    if (stopped === undefined) process.exitCode = report.refused > 0 ? 1 : 0;
    else if (this.signal.aborted) process.exitCode = exitOnInterrupt;
    else throw new Error(`${stopped}. Run the command again to go on from here.`);
  }
}

function printReport(report: Report, importId: string | undefined): void {
  for (const line of [report.describe(), ...report.details()]) print(line);
  if (importId !== undefined && report.stored > 0)
    note(`\`npx memoryd imports undo ${importId.slice(0, 8)}\` takes it back.`);
}
