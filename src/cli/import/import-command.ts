import { createHash } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { assertUserName } from '../../domain/users/user-service.ts';
import { addServiceOptions, findService } from '../client/service.ts';
import { wholeNumber } from '../options.ts';
import { print } from '../output/print.ts';
import { withStorage } from '../store/with-storage.ts';
import type { FileHead } from '../transfer/file-format.ts';
import { type InputFile, withInputFile } from '../transfer/input-file.ts';
import { loadFile } from '../transfer/load-file.ts';
import { readHead } from '../transfer/read-file.ts';
import { describeCounts, describeIgnored } from './progress.ts';
import { runImport } from './run-import.ts';
import { openSource } from './sources.ts';

interface Options {
  readonly user?: string;
  readonly url?: string;
  readonly key?: string;
  readonly state?: string;
  readonly concurrency: number;
}

const concurrencyDefault = 8;
const concurrencyMax = 64;
const exitOnInterrupt = 130;

/** `memoryd import FILE` */
export function importCommand(): Command {
  const command = new Command('import')
    .argument('<file>', 'see docs/import.md; - is standard input')
    .option(
      '--user <name>',
      'for a file of `memoryd export`, which goes straight to the store: who gets it (default: the name in it)',
    );
  return addServiceOptions(command)
    .option('--state <path>', 'what is done already (default: FILE.import-state, none for a stream)')
    .option('--concurrency <n>', 'requests at once', wholeNumber(1, concurrencyMax), concurrencyDefault)
    .action((file: string, options: Options) =>
      withInputFile(file, async (input) => {
        const head = await readHead(input.path, input.name);
        if (head) await importUser({ ...input, head, user: options.user });
        else if (options.user !== undefined)
          throw new Error(
            `${input.name} is no file of \`memoryd export\`; other files go to the owner of --key.`,
          );
        else await importFile(input, options);
      }),
    );
}

interface UserFile extends InputFile {
  readonly head: FileHead;
  readonly user: string | undefined;
}

async function importUser({ path, name, head, user }: UserFile): Promise<void> {
  if (user !== undefined) assertUserName(user);
  await withStorage(async ({ transfer }) => {
    const loaded = await loadFile(transfer, { path, name, head, format: 'memoryd-export', as: user });
    print(`Stored ${loaded.rows} rows for ${loaded.user}.`);
  });
}

/** Identity of an input: the path of a file, or the hash of a stream. */
async function identityOf({ path, isCopy }: InputFile): Promise<string> {
  if (!isCopy) return realpathSync(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `stream ${hash.digest('base64url')}`;
}

async function importFile(input: InputFile, options: Options): Promise<void> {
  const source = openSource(input.path);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  // Once: a second signal ends the process at once, as it would have without us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const { stopped, ...counts } = await runImport({
    source,
    identity: await identityOf(input),
    statePath: options.state ?? `${input.path}.import-state`,
    service: findService(options),
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
