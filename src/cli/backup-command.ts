import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/load.ts';
import { sqlitePathOf } from '../config/sqlite-path.ts';
import { systemClock } from '../lib/clock.ts';
import { backupSqlite, isSqliteFile, restoreSqlite } from '../open-storage.ts';
import { newCopyIn, removeOldCopies } from './backup-folder.ts';
import { readHead } from './transfer/file-reader.ts';
import { loadFile } from './transfer/load-file.ts';
import { writeFile } from './transfer/write-file.ts';
import { withBar } from './with-bar.ts';
import { withStorage, withStorageAlone } from './with-storage.ts';

type Print = (line: string) => void;

interface BackupOptions {
  readonly lines?: boolean;
  /** How many copies stay in the folder; absent: the argument names the file. */
  readonly keep?: number;
}

const copiesMax = 10_000;

function readKeep(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= copiesMax) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${copiesMax}.`);
}

/** `memoryd backup FILE` and `memoryd backup --keep N FOLDER` */
export function backupCommand(print: Print): Command {
  return new Command('backup')
    .option('--lines', 'of an SQLite store too as lines of text, which either engine restores')
    .option(
      '--keep <n>',
      'the argument is a folder: add a copy to it, then remove all but the newest n',
      readKeep,
    )
    .argument('<file>', 'see docs/export.md')
    .action(async (target: string, { lines, keep }: BackupOptions) => {
      const path = sqlitePathOf(loadConfig());
      const asLines = path === undefined || lines === true;
      const file = keep === undefined ? target : newCopyIn(target, asLines ? 'jsonl' : 'db', systemClock);
      if (asLines) {
        await withStorage(({ transfer }) => writeFile(transfer, { path: file, format: 'memoryd-backup' }));
      } else await withBar('copying', 'pages', (onPages) => backupSqlite(path, file, onPages));
      print(`The store is copied to ${file}. It holds everything, keys too: keep it as safe as the store.`);
      if (keep === undefined) return;
      const removed = removeOldCopies(target, keep, systemClock);
      if (removed.length > 0) print(`Older copies removed: ${removed.join(', ')}`);
    });
}

/** `memoryd restore FILE` */
export function restoreCommand(print: Print): Command {
  return new Command('restore')
    .argument('<file>')
    .option('--yes', 'replace what the store holds')
    .action(async (file: string, { yes }: { yes?: boolean }) => {
      if (!existsSync(file)) throw new Error(`there is no file ${file}`);
      await restore(file, yes ?? false);
      print(`The store is as it was when ${file} was made. Start memoryd again.`);
    });
}

async function restore(file: string, replace: boolean): Promise<void> {
  const path = sqlitePathOf(loadConfig());
  const isCopy = isSqliteFile(file);
  if (isCopy && path === undefined) {
    throw new Error(
      `${file} is a copy of an SQLite store: PostgreSQL wants one made with \`backup --lines\`.`,
    );
  }
  const head = isCopy ? undefined : await readHead(file);
  if (path !== undefined && !head) return restoreSqlite(path, file, { replace });
  if (!head) throw new Error(`${file} is no backup of memoryd.`);
  await withStorageAlone(async ({ transfer, users }) => {
    const present = (await users.list()).length;
    if (present > 0 && !replace) {
      throw new Error(
        `The store holds ${present} users. Restoring replaces all of them: say --yes if that is what you want.`,
      );
    }
    await loadFile(transfer, { path: file, head, format: 'memoryd-backup' });
  });
}
