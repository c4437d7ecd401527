import { existsSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { StoreRefusedError } from './open.ts';

/** Longer than a command takes to look whether the file is served. */
const lookMs = 500;

const lockPath = (path: string) => `${path}-serve`;

/**
 * Keeps a second `serve` off the same file. The lock is SQLite's own file lock on a companion database, so the
 * system gives it back when the process ends, however it ends. @throws StoreRefusedError
 */
export function lockForServing(path: string): { release(): void } {
  const lock = new SqliteConnection(lockPath(path), { timeout: lookMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new StoreRefusedError(
      `Another \`memoryd serve\` is using ${path}. Stop it first, or give this one a store of its own (MEMORYD_DATABASE_URL).`,
      error,
    );
  }
  return { release: () => lock.close() };
}

/** Whether a process serves the file now. */
export function isServed(path: string): boolean {
  if (!existsSync(lockPath(path))) return false;
  const lock = new SqliteConnection(lockPath(path), { timeout: 0 });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    lock.close();
  }
}
