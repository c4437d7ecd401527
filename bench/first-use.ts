import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newTempFolder } from '../test/support/temp-folder.ts';
import { firstMemory, type Start } from './first-use/first-memory.ts';
import { run, type Shell, shellWith } from './first-use/shell.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench first-use -- [--only clone|package] [--node current|newest] [--check] [--out FILE]
  From the install line to the first memory found, as a clean clone and as the packed package, on the Node that runs
  this and on the newest LTS. --check: exit 1 when that takes 60 s or a start of what is built 3 s.`;
const foundSecondsMax = 60;
const readySecondsMax = 3;
const port = 3999;
const root = fileURLToPath(new URL('..', import.meta.url));

interface Row {
  readonly way: string;
  readonly node: string;
  readonly installSeconds: number;
  readonly engineWarnings: number;
  /** From the end of the install line. */
  readonly foundSeconds: number;
  /** Seconds of a second start, when everything is built. */
  readonly readySeconds: number;
}

interface Installed extends Omit<Start, 'port'> {
  readonly installSeconds: number;
  readonly output: string;
}

async function installClone(shell: Shell, folder: string): Promise<Installed> {
  await run(shell, folder, ['git', 'clone', '--quiet', root, 'memoryd']);
  const clone = join(folder, 'memoryd');
  const { seconds, output } = await run(shell, clone, ['npm', 'ci']);
  const keyPath = join(clone, 'data/first-key');
  return { installSeconds: seconds, output, folder: clone, line: ['npm', 'start'], env: {}, keyPath };
}

async function installPackage(shell: Shell, folder: string): Promise<Installed> {
  const packed = await run(shell, root, ['npm', 'pack', '--silent', '--pack-destination', folder]);
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const archive = `./${packed.output.trim().split('\n').at(-1)}`;
  const { seconds, output } = await run(shell, folder, ['npm', 'install', archive]);
  const env = { XDG_DATA_HOME: join(folder, 'data') };
  const keyPath = join(folder, 'data/memoryd/first-key');
  return { installSeconds: seconds, output, folder, line: ['npx', 'memoryd', 'serve'], env, keyPath };
}

const ways = { clone: installClone, package: installPackage } as const;

async function measure(way: keyof typeof ways, shell: Shell): Promise<Row> {
  const folder = newTempFolder('first-use');
  try {
    const { installSeconds, output, ...start } = await ways[way](shell, folder.path);
    const { foundSeconds } = await firstMemory(shell, { ...start, port });
    const { readySeconds } = await firstMemory(shell, { ...start, port });
    const engineWarnings = output.match(/EBADENGINE Unsupported/g)?.length ?? 0;
    return { way, node: shell.name, installSeconds, engineWarnings, foundSeconds, readySeconds };
  } finally {
    folder.remove();
  }
}

/** `node -v` and the folder of each Node. */
function shells(which: string | undefined): Shell[] {
  const newest = () =>
    execFileSync('bash', [join(root, 'scripts/newest-node.sh')], { encoding: 'utf8' }).trim();
  const bins = [
    ...(which === 'newest' ? [] : [dirname(process.execPath)]),
    ...(which === 'current' ? [] : [newest()]),
  ];
  return bins.map((bin) => {
    const version = execFileSync(join(bin, 'node'), ['-v'], { encoding: 'utf8' }).trim();
    return shellWith(version, bin);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      node: { type: 'string' },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const rows: Row[] = [];
  for (const shell of shells(values.node))
    for (const way of ['clone', 'package'] as const)
      if (values.only === undefined || values.only === way) rows.push(await measure(way, shell));
  const shown = rows.map((row) => [
    `${row.way}, Node ${row.node}`,
    `${row.installSeconds.toFixed(1)} s`,
    String(row.engineWarnings),
    `${row.foundSeconds.toFixed(2)} s`,
    `${row.readySeconds.toFixed(2)} s`,
  ]);
  const head = ['way', 'install', 'engine warnings', 'install done to memory found', 'start when built'];
  console.log(toTable(head, shown));
  console.log(`Written to ${writeResult('first-use', { ...describeEnvironment(), rows }, values.out)}`);
  const missed = rows.filter(
    ({ foundSeconds, readySeconds }) => foundSeconds >= foundSecondsMax || readySeconds >= readySecondsMax,
  );
  if (values.check && missed.length > 0) process.exitCode = 1;
}

await main();
