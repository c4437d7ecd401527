import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { damageOf } from './damage.ts';
import { connect, StoreRefusedError } from './open.ts';
import { lockForServing } from './serve-lock.ts';

const magic = 'SQLite format 3\0';

/** Whether a file begins as SQLite files do. */
export function isSqliteFile(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(magic.length);
    readSync(file, head, 0, head.length, 0);
    return head.toString('latin1') === magic;
  } finally {
    closeSync(file);
  }
}

export type OnPages = (done: number, total: number) => void;

const pagesAtOnce = 2000;

/**
 * Copies the store to a file of mode 0600, beside a running service. The copy is the store as it was when the command
 * began: an open read transaction keeps that state while others write on. It is checked before it gets its name.
 * @throws StoreRefusedError where there is a file already, or the copy is damaged
 */
export async function backupSqlite(path: string, target: string, onPages: OnPages): Promise<void> {
  if (existsSync(target)) throw new StoreRefusedError(`${target} is there already: name another file.`);
  if (!existsSync(path)) throw new StoreRefusedError(`There is no store at ${path}.`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  const sqlite = connect(path);
  try {
    sqlite.exec('BEGIN');
    sqlite.prepare('SELECT count(*) FROM sqlite_master').get();
    await sqlite.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        onPages(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      },
    });
    assertWhole(partial);
    syncFile(partial);
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    sqlite.close();
  }
}

/**
 * Puts a backup in the place of the store. Refused while a service uses it, and where it holds users unless `replace`.
 * Until the last step, a rename, the store is left as it was.
 * @throws StoreRefusedError
 */
export function restoreSqlite(
  path: string,
  source: string,
  { replace }: { readonly replace: boolean },
): void {
  if (!existsSync(source)) throw new StoreRefusedError(`There is no file ${source}.`);
  assertWhole(source);
  // A connection makes the folder of a store that is not there yet.
  const store = connect(path);
  const users = countUsers(store);
  store.close();
  const lock = lockForServing(path);
  try {
    if (users > 0 && !replace) {
      throw new StoreRefusedError(
        `${path} holds ${users} users. Restoring replaces all of it: say --yes if that is what you want.`,
      );
    }
    const partial = `${path}.restoring`;
    copyFileSync(source, partial);
    chmodSync(partial, 0o600);
    syncFile(partial);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    renameSync(partial, path);
  } finally {
    lock.release();
  }
}

function countUsers(sqlite: SqliteConnection.Database): number {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'users'").get();
  return table ? (sqlite.prepare('SELECT count(*) FROM users').pluck().get() as number) : 0;
}

/** @throws StoreRefusedError */
function assertWhole(file: string): void {
  const refuse = (reason: string) => new StoreRefusedError(`${file} is no backup of memoryd: ${reason}.`);
  let sqlite: SqliteConnection.Database | undefined;
  try {
    sqlite = new SqliteConnection(file, { readonly: true, fileMustExist: true });
    const { database, index } = damageOf(sqlite, 'integrity');
    const [damage] = [...database, ...index];
    if (damage !== undefined) throw refuse(damage);
    if (!sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get())
      throw refuse('it is a database of another program');
  } catch (error) {
    throw error instanceof StoreRefusedError ? error : refuse((error as Error).message);
  } finally {
    sqlite?.close();
  }
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
