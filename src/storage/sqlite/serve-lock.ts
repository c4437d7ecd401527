import SqliteConnection from 'better-sqlite3';
import { StoreRefusedError } from './open.ts';

/**
 * Keeps a second `serve` off the same file. The lock is SQLite's own file lock on a companion database, so the
 * system gives it back when the process ends, however it ends. @throws StoreRefusedError
 */
export function lockForServing(path: string): { release(): void } {
  const lock = new SqliteConnection(`${path}-serve`, { timeout: 0 });
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
