import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { sqlitePathOf } from '../../config/data-folder.ts';
import { loadConfig } from '../../config/load.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { backupSqlite, isSqliteFile, restoreSqlite } from '../../open-storage.ts';
import { wholeNumber } from '../options.ts';
import { print } from '../output/print.ts';
import { withBar } from '../output/progress-bar.ts';
import { note } from '../output/terminal.ts';
import { type InputFile, standardStream, withInputFile } from '../transfer/input-file.ts';
import { loadFile } from '../transfer/load-file.ts';
import { readHead } from '../transfer/read-file.ts';
import { writeFile } from '../transfer/write-file.ts';
import { withStorage, withStorageAlone } from './with-storage.ts';

interface BackupOptions {
  readonly lines?: boolean;
  /** Number of copies that stay in the folder; absent: the argument names the file. */
  readonly keep?: number;
}

const copiesMax = 10_000;

/** `memoryd backup FILE` and `memoryd backup --keep N FOLDER` */
export function backupCommand(): Command {
  return new Command('backup')
    .option('--lines', 'of an SQLite store too as lines of text, which either engine restores')
    .option(
      '--keep <n>',
      'the argument is a folder: add a copy to it, then remove all but the newest n',
      wholeNumber(1, copiesMax),
    )
    .argument('<file>', 'see docs/export.md; - is standard output, for lines of text')
    .action(async (target: string, options: BackupOptions) => {
      if (target === standardStream) await backupToStream(options);
      else await backupToFile(target, options);
    });
}

const warning = 'It holds everything, keys too: keep it as safe as the store.';

async function backupToStream({ lines, keep }: BackupOptions): Promise<void> {
  if (keep !== undefined) throw new Error('--keep needs a folder: - is standard output.');
  if (sqlitePathOf(loadConfig()) !== undefined && !lines)
    throw new Error('A copy of an SQLite store needs a file: - works with --lines.');
  await withStorage(({ transfer }) =>
    writeFile(transfer, { path: standardStream, format: 'memoryd-backup' }),
  );
  note(`The store is copied. ${warning}`);
}

async function backupToFile(target: string, { lines, keep }: BackupOptions): Promise<void> {
  const path = sqlitePathOf(loadConfig());
  const asLines = path === undefined || lines === true;
  const file = keep === undefined ? target : newCopyIn(target, asLines ? 'jsonl' : 'db', systemClock);
  if (asLines) {
    await withStorage(({ transfer }) => writeFile(transfer, { path: file, format: 'memoryd-backup' }));
  } else await withBar('copying', 'pages', (onPages) => backupSqlite(path, file, onPages));
  print(`The store is copied to ${file}. ${warning}`);
  if (keep === undefined) return;
  const removed = removeOldCopies(target, keep, systemClock);
  if (removed.length > 0) print(`Older copies removed: ${removed.join(', ')}`);
}

/** File names of copies of `backup --keep`: the time in UTC, so names sort by age. */
const copyName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)$/;
/** File names that a killed backup leaves: the copy under way and the files that SQLite puts next to it. */
const partialName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)\.partial(?:-journal|-wal|-shm)?$/;
/** A running backup writes all the time: a file without a write for an hour is left over. */
const partialAgeMs = 3_600_000;

/** The path of a new copy in `folder`, which is created (mode 0700) if it does not exist. */
export function newCopyIn(folder: string, extension: 'db' | 'jsonl', clock: Clock): string {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Error(`${folder} is a file: with --keep name a folder, in which each backup is a new file.`);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return join(folder, `memoryd-${time}.${extension}`);
}

/**
 * Removes all copies in `folder` but the newest `keep`, and the remains of killed backups. Other files stay.
 * @returns the names of the removed copies
 */
export function removeOldCopies(folder: string, keep: number, clock: Clock): string[] {
  const names = readdirSync(folder);
  const copies = names.filter((name) => copyName.test(name)).sort();
  const old = copies.slice(0, Math.max(0, copies.length - keep));
  const leftovers = names.filter(
    (name) =>
      partialName.test(name) &&
      (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < clock.now() - partialAgeMs,
  );
  for (const name of [...old, ...leftovers]) rmSync(join(folder, name), { force: true });
  return old;
}

interface RestoreOptions {
  /** Whether the content of the store may be replaced. */
  readonly replace: boolean;
}

/** Replaces the store by a backup. @param file or `-` @throws Error if the store is in use or has users */
export function restoreBackup(file: string, options: RestoreOptions): Promise<void> {
  return withInputFile(file, (input) => restore(input, options));
}

async function restore({ path: file, name }: InputFile, { replace }: RestoreOptions): Promise<void> {
  const path = sqlitePathOf(loadConfig());
  const isCopy = isSqliteFile(file);
  if (isCopy && path === undefined) {
    throw new Error(
      `${name} is a copy of an SQLite store: PostgreSQL wants one made with \`backup --lines\`.`,
    );
  }
  const head = isCopy ? undefined : await readHead(file, name);
  if (path !== undefined && !head) return restoreSqlite(path, file, { replace });
  if (!head) throw new Error(`${name} is no backup of memoryd.`);
  await withStorageAlone(async ({ transfer, users }) => {
    const present = (await users.list()).length;
    if (present > 0 && !replace) {
      throw new Error(
        `The store holds ${present} users. Restoring replaces all of them: say --yes if that is what you want.`,
      );
    }
    await loadFile(transfer, { path: file, name, head, format: 'memoryd-backup' });
  });
}
