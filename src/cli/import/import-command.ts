import { Command } from 'commander';
import { assertUserName } from '../../domain/users/user-service.ts';
import { addServiceOptions, findService } from '../client/service.ts';
import { print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { cutToWidth, printableLine } from '../output/text.ts';
import { withStorage } from '../store/with-storage.ts';
import type { FileHead } from '../transfer/file-format.ts';
import { type InputFile, standardStream, withInputFile } from '../transfer/input-file.ts';
import { loadFile } from '../transfer/load-file.ts';
import { readHead } from '../transfer/read-file.ts';
import { type Counts, describeCounts, describeIgnored } from './progress.ts';
import { newCounts, noteRefusal, runImport } from './run-import.ts';
import { filesOf, openSource, type Source } from './sources.ts';

interface Options {
  readonly user?: string;
  readonly url?: string;
  readonly key?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const exitOnInterrupt = 130;
const previewedMax = 10;
const previewWidth = 100;
const sourceNameMax = 500;

/** `memoryd import PATH...` */
export function importCommand(): Command {
  const command = new Command('import')
    .argument('<path...>', 'files and folders, see docs/import.md; - is standard input')
    .option(
      '--user <name>',
      'for a file of `memoryd export`, which goes straight to the store: who gets it (default: the name in it)',
    )
    .option('--dry-run', 'read the files and print what would be sent, without a service')
    .option('--json', 'print the result as one JSON document');
  return addServiceOptions(command).action((paths: readonly string[], options: Options) => {
    const files = paths.flatMap((path) => (path === standardStream ? [path] : filesOf(path)));
    return withInputs(files, [], (inputs) => importAll(inputs, options));
  });
}

/** Streams are copied to files for the duration of `run`. */
async function withInputs(
  [first, ...rest]: readonly string[],
  opened: readonly InputFile[],
  run: (inputs: readonly InputFile[]) => Promise<void>,
): Promise<void> {
  if (first === undefined) return run(opened);
  await withInputFile(first, (input) => withInputs(rest, [...opened, input], run));
}

async function importAll(inputs: readonly InputFile[], options: Options): Promise<void> {
  const sources: Source[] = [];
  for (const input of inputs) {
    const head = await readHead(input.path, input.name);
    if (head && inputs.length === 1) return importUser({ ...input, head, user: options.user });
    if (head) throw new Error(`${input.name} is a file of \`memoryd export\`: import it by itself.`);
    if (options.user !== undefined)
      throw new Error(
        `${input.name} is no file of \`memoryd export\`; other files go to the owner of --key.`,
      );
    const several = inputs.length > 1 ? `${input.name}, ` : '';
    sources.push(openSource(input.path, { name: input.name, labelled: several }));
  }
  if (!options.json) for (const { name, format } of sources) note(`${name}: ${format}`);
  await (options.dryRun ? preview(sources, options) : importFiles(sources, options));
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

const filesIn = (sources: readonly Source[]) => sources.map(({ name, format }) => ({ name, format }));

async function preview(sources: readonly Source[], { json }: Options): Promise<void> {
  const counts = newCounts();
  const first: string[] = [];
  let memories = 0;
  for (const source of sources)
    for await (const { label, content } of source.items()) {
      if ('refusal' in content) {
        noteRefusal(counts, label, content.refusal);
        if (!json) note(`${label} refused: ${content.refusal}`);
        continue;
      }
      memories++;
      if (first.length < previewedMax) first.push(String(content.body.content ?? ''));
    }
  const { refused, refusals } = counts;
  if (json) printJson({ data: { files: filesIn(sources), memories, refused, refusals, first } });
  else {
    for (const text of first) print(`  ${cutToWidth(printableLine(text), previewWidth)}`);
    print(`would send ${memories}, refused ${refused}`);
  }
  process.exitCode = refused > 0 ? 1 : 0;
}

async function importFiles(sources: readonly Source[], options: Options): Promise<void> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  // Once: a second signal ends the process at once, as it would have without us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const others = sources.length > 1 ? ` and ${sources.length - 1} more` : '';
  const { stopped, importId, ...counts } = await runImport({
    sources,
    name: (sources[0].name.slice(-sourceNameMax + others.length) + others).toWellFormed(),
    service: findService(options),
    signal: interrupt.signal,
  });
  if (options.json) printJson({ data: { files: filesIn(sources), importId, stopped, ...jsonOf(counts) } });
  else {
    print(describeCounts(counts));
    const ignored = describeIgnored(counts);
    if (ignored !== undefined) print(ignored);
    if (importId !== undefined && counts.imported > 0)
      note(`\`npx memoryd imports undo ${importId.slice(0, 8)}\` takes it back.`);
  }
  if (stopped === undefined) process.exitCode = counts.refused > 0 ? 1 : 0;
  else if (interrupt.signal.aborted) process.exitCode = exitOnInterrupt;
  else throw new Error(`${stopped}. Run the command again to go on from here.`);
}

const jsonOf = ({ ignored, ...counts }: Counts) => ({ ...counts, ignored: Object.fromEntries(ignored) });
