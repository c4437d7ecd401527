import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { connect } from '../open-store.ts';
import { lockForServing, lockPath } from '../serve-lock.ts';
import { damageOf, StoreRefusedError, toOpenFailure } from './open-failure.ts';
import { realStorePath } from './store-path.ts';

const magic = 'SQLite format 3\0';

/** Whether a file begins with SQLite's magic bytes. */
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

type OnPages = (done: number, total: number) => void;

const pagesAtOnce = 2000;

/** Removes a database and the files that SQLite creates next to it. */
function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/**
 * Copies the store to a file of mode 0600, next to a running service. The copy has the state at the start of
 * the command: an open read transaction keeps it while others write. It is checked before it gets its name.
 * @throws StoreRefusedError if the file exists, or the copy is damaged
 */
export async function backupSqlite(given: string, target: string, onPages: OnPages): Promise<void> {
  const path = realStorePath(given);
  if (existsSync(target)) throw new StoreRefusedError(`${target} is there already: name another file.`);
  if (!existsSync(path)) throw new StoreRefusedError(`There is no store at ${path}.`);
  const partial = `${target}.partial`;
  const sqlite = connect(path);
  try {
    removeDatabase(partial);
    closeSync(openSync(partial, 'wx', 0o600));
    sqlite.exec('BEGIN');
    sqlite.prepare('SELECT count(*) FROM sqlite_master').get();
    await sqlite.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        onPages(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      },
    });
    finishCopy(partial, target);
    renameSync(partial, target);
  } catch (error) {
    removeDatabase(partial);
    throw toOpenFailure(target, error);
  } finally {
    sqlite.close();
  }
}

/**
 * Replaces the store, which may be lost or damaged, by a backup. Refused while a service uses the
 * store, and, without `replace`, if the store has users or cannot be read. Until the last step, a
 * rename, the store is unchanged. The backup is only read, so it may be in a read-only folder.
 * @throws StoreRefusedError
 */
export function restoreSqlite(
  given: string,
  source: string,
  { replace }: { readonly replace: boolean },
): void {
  if (!existsSync(source)) throw new StoreRefusedError(`There is no file ${source}.`);
  const path = realStorePath(given);
  const partial = `${path}.restoring`;
  let lock: { release(): void } | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    lock = lockForServing(path);
    assertReplaceable(path, replace);
    removeDatabase(partial);
    copyDatabase(source, partial);
    finishCopy(partial, source);
    // These files are empty: their content is in the copy.
    for (const file of [partial, path])
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    renameSync(partial, path);
  } catch (error) {
    removeDatabase(partial);
    throw toOpenFailure(path, error);
  } finally {
    lock?.release();
    // A lock without a store would be taken for the trace of a lost store.
    if (!existsSync(path)) rmSync(lockPath(path), { force: true });
  }
}

/**
 * Checks that the store may be replaced, and checkpoints its WAL: the store is intact until the rename.
 * @throws StoreRefusedError without `replace`, if the store has users or cannot be read
 */
function assertReplaceable(path: string, replace: boolean): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const unless = 'Restoring replaces all of it: say --yes if that is what you want.';
  let users: number;
  try {
    users = usersIn(path);
  } catch (error) {
    if (replace) return;
    throw new StoreRefusedError(`${path} cannot be read (${(error as Error).message}). ${unless}`, error);
  }
  if (users > 0 && !replace) throw new StoreRefusedError(`${path} holds ${users} users. ${unless}`);
}

function usersIn(path: string): number {
  const store = connect(path);
  try {
    return countUsers(store);
  } finally {
    store.close();
  }
}

function countUsers(sqlite: SqliteConnection.Database): number {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'users'").get();
  return table ? (sqlite.prepare('SELECT count(*) FROM users').pluck().get() as number) : 0;
}

/** Includes the WAL, in case a store was copied file by file; a backup has none. */
function copyDatabase(source: string, target: string): void {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(source + suffix)) continue;
    copyFileSync(source + suffix, target + suffix);
    chmodSync(target + suffix, 0o600);
  }
}

/**
 * Checks a copy and converts it to a form that can be read without other files,
 * even in a read-only folder; opening it as a store creates a WAL again.
 * @param named the operator's name of the file
 * @throws StoreRefusedError
 */
function finishCopy(file: string, named: string): void {
  const refuse = (reason: string) => new StoreRefusedError(`${named} is no backup of memoryd: ${reason}.`);
  let sqlite: SqliteConnection.Database | undefined;
  try {
    sqlite = new SqliteConnection(file, { fileMustExist: true });
    sqlite.pragma('journal_mode = DELETE');
    const { database, index } = damageOf(sqlite, 'integrity');
    const [damage] = [...database, ...index];
    if (damage !== undefined) throw refuse(damage);
    if (!sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get())
      throw refuse('it is a database of another program');
  } catch (error) {
    const isDamage = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? '');
    throw isDamage ? refuse((error as Error).message) : error;
  } finally {
    sqlite?.close();
  }
  syncFile(file);
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
