import { Command } from 'commander';
import { sqlitePathOf } from '../config/data-folder.ts';
import { loadConfig } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { backupSqlite } from '../open-storage.ts';
import { newCopyIn, removeOldCopies } from './backup-folder.ts';
import type { Print } from './output/print-list.ts';
import { note } from './output/terminal.ts';
import { standardStream } from './transfer/with-input-file.ts';
import { writeFile } from './transfer/write-file.ts';
import { wholeNumber } from './whole-number.ts';
import { withBar } from './with-bar.ts';
import { withStorage } from './with-storage.ts';

interface BackupOptions {
  readonly lines?: boolean;
  /** Number of copies that stay in the folder; absent: the argument names the file. */
  readonly keep?: number;
}

const copiesMax = 10_000;

/** `memoryd backup FILE` and `memoryd backup --keep N FOLDER` */
export function backupCommand(print: Print): Command {
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
      else await backupToFile(target, options, print);
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

async function backupToFile(target: string, { lines, keep }: BackupOptions, print: Print): Promise<void> {
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
