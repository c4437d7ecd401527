import { existsSync, realpathSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { assertUserName } from '../../domain/users/user-service.ts';
import type { FileHead } from '../transfer/file-format.ts';
import { readHead } from '../transfer/file-reader.ts';
import { loadFile } from '../transfer/load-file.ts';
import { withStorage } from '../with-storage.ts';
import { findKey } from './find-key.ts';
import type { Source } from './item.ts';
import { openSource } from './open-source.ts';
import { describeCounts, describeIgnored } from './progress.ts';
import { runImport } from './run-import.ts';

interface Options {
  readonly user?: string;
  readonly url?: string;
  readonly key?: string;
  readonly only?: string;
  readonly state?: string;
  readonly concurrency: number;
}

const concurrencyDefault = 8;
const concurrencyMax = 64;
const exitOnInterrupt = 130;

/** `memoryd import FILE` */
export function importCommand(print: (line: string) => void): Command {
  return new Command('import')
    .argument('<file>', 'see docs/import.md')
    .option(
      '--user <name>',
      'for a file of `memoryd export`, which goes straight to the store: who gets it (default: the name in it)',
    )
    .option('--url <url>', 'of the service (default: this machine, at the configured port)', readUrl)
    .option('--key <key>', 'API key (default: MEMORYD_API_KEY, else the first key of the store)')
    .option('--only <id>', 'one conversation of a LoCoMo file')
    .option('--state <path>', 'what is done already (default: FILE.import-state)')
    .option('--concurrency <n>', 'requests at once', readConcurrency, concurrencyDefault)
    .action(async (file: string, options: Options) => {
      const head = existsSync(file) ? await readHead(file) : undefined;
      if (head) await importUser({ file, head, user: options.user }, print);
      else if (options.user !== undefined)
        throw new Error(`${file} is no file of \`memoryd export\`; other files go to the owner of --key.`);
      else await importFile(file, options, print);
    });
}

interface UserFile {
  readonly file: string;
  readonly head: FileHead;
  readonly user: string | undefined;
}

async function importUser({ file, head, user }: UserFile, print: (line: string) => void): Promise<void> {
  if (user !== undefined) assertUserName(user);
  await withStorage(async ({ transfer }) => {
    const loaded = await loadFile(transfer, { path: file, head, format: 'memoryd-export', as: user });
    print(`Stored ${loaded.rows} rows for ${loaded.user}.`);
  });
}

async function importFile(file: string, options: Options, print: (line: string) => void): Promise<void> {
  const config = loadConfig();
  const source = openSource(file);
  assertPart(source, options.only);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  // Once: a second signal ends the process at once, as it would have without us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const { stopped, ...counts } = await runImport({
    source,
    identity: realpathSync(file),
    statePath: options.state ?? `${file}.import-state`,
    url: options.url ?? `http://127.0.0.1:${config.port}`,
    key: findKey(options.key, config),
    only: options.only,
    concurrency: options.concurrency,
    signal: interrupt.signal,
  });
  print(describeCounts(counts));
  const ignored = describeIgnored(counts);
  if (ignored !== undefined) print(ignored);
  if (stopped === undefined) process.exitCode = counts.refused > 0 ? 1 : 0;
  else if (interrupt.signal.aborted) process.exitCode = exitOnInterrupt;
  else throw new Error(`${stopped}. Run the command again to go on from here.`);
}

function assertPart({ parts }: Source, only: string | undefined): void {
  if (only === undefined || parts?.includes(only)) return;
  if (parts === undefined)
    throw new Error('--only takes a conversation of a LoCoMo file; this is JSON Lines.');
  throw new Error(`--only ${only} is not in the file, which has ${parts.join(', ')}.`);
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It must begin with http:// or https://.');
}

function readConcurrency(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= concurrencyMax) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${concurrencyMax}.`);
}
