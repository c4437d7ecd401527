import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { StoreRefusedError, toOpenFailure } from './file/open-failure.ts';

/** Longer than a command takes to check whether the file is served. */
const lookMs = 500;

export const lockPath = (path: string) => `${path}-serve`;

const isBusy = (error: unknown) => (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;

/** A process that can read a file can lock it: mode 0600 keeps other users from blocking `serve`. */
function openPrivately(file: string): SqliteConnection.Database {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const lock = new SqliteConnection(file, { timeout: lookMs });
  // Nothing is ever written: a journal on disk would only be another file, for which a full disk has no room.
  lock.pragma('journal_mode = MEMORY');
  return lock;
}

/**
 * Keeps a second `serve` off the same file. The lock is SQLite's own file lock on a
 * companion database, so the system releases it when the process ends for any reason.
 * @param path of the file itself, not of a link to it
 * @throws StoreRefusedError
 */
export function lockForServing(path: string): { release(): void } {
  let lock: SqliteConnection.Database | undefined;
  try {
    lock = openPrivately(lockPath(path));
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw toOpenFailure(path, error);
    throw new StoreRefusedError(
      `Another \`memoryd serve\` is using ${path}. Stop it first, or give this one a store of its own (MEMORYD_DATABASE_URL).`,
      error,
    );
  }
  const taken = lock;
  return { release: () => taken.close() };
}

/** Whether a process serves the file now. */
export function isServed(path: string): boolean {
  if (!existsSync(lockPath(path))) return false;
  const lock = new SqliteConnection(lockPath(path), { timeout: 0 });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/**
 * Without the WAL, a command next to a running service would
 * see an older state of the store, and begin another WAL.
 * @throws StoreRefusedError
 */
export function assertNotTornApart(path: string): void {
  if (existsSync(`${path}-wal`) || !existsSync(path) || !isServed(path)) return;
  throw new StoreRefusedError(
    `A service uses ${path}, but ${path}-wal, in which its last writes are, was removed. Stop the service: it writes them into the store. Then try again.`,
  );
}
