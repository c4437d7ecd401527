import SqliteConnection from 'better-sqlite3';
import { AppError } from '../../domain/shared/errors.ts';

const retryAfterSeconds = 5;
/** An operator has to repair the store. */
const retryAfterDamageSeconds = 60;

/** The failure of SQLite as clients may see it; other errors are faults of memoryd and returned unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof SqliteConnection.SqliteError)) return error;
  const extra = { retryAfter: retryAfterSeconds, cause: error };
  if (error.code.startsWith('SQLITE_FULL')) {
    return new AppError('STORAGE_FULL', 'The disk is full: nothing was stored.', extra);
  }
  if (error.code.startsWith('SQLITE_IOERR') || error.code.startsWith('SQLITE_CANTOPEN')) {
    return new AppError('STORAGE_FULL', 'The disk cannot be written: nothing was stored.', extra);
  }
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_READONLY')) {
    return new AppError('STORAGE_UNAVAILABLE', 'The store is busy: nothing was stored.', extra);
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code.startsWith('SQLITE_NOTADB')) {
    const damaged = { retryAfter: retryAfterDamageSeconds, cause: error };
    return new AppError('STORAGE_UNAVAILABLE', 'The file of the store is damaged.', damaged);
  }
  return error;
}
