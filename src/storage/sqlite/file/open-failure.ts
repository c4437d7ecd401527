import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type SqliteConnection from 'better-sqlite3';
import { rootOf } from '../../../lib/failure-log.ts';
import { StoreVersionError } from '../../sql/core/migrate.ts';

/** Free bytes below which a store cannot be opened: its `-shm` alone takes 32 KB. */
const fullBelowBytes = 256 * 1024;
const fullCodes = /^(ENOSPC|EDQUOT|SQLITE_FULL)/;
const ioCodes = /^(EIO|SQLITE_IOERR|SQLITE_CANTOPEN)/;
const refusedCodes =
  /^(EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ENOENT|ENAMETOOLONG|SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM)/;
const busyCodes = /^SQLITE_(BUSY|LOCKED)/;

/** @returns undefined if the folder cannot be read */
function bytesFree(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // The original failure explains more than this one.
    return undefined;
  }
}

function isFull(folder: string, code: string): boolean {
  if (fullCodes.test(code)) return true;
  return ioCodes.test(code) && (bytesFree(folder) ?? Number.POSITIVE_INFINITY) < fullBelowBytes;
}

export function notUsable(path: string, reason: string, cause?: unknown): StoreRefusedError {
  return new StoreRefusedError(
    `${path} is not a usable memoryd store: ${reason}. ` +
      'It was left as it is. Put a backup in its place, or move it away (with its -wal, -shm and -serve) to begin with an empty store.',
    cause,
  );
}

/**
 * The failure to open the store at `path` for the operator,
 * with a remedy; a fault of memoryd is returned unchanged.
 */
export function toOpenFailure(path: string, error: unknown): unknown {
  if (error instanceof StoreRefusedError || error instanceof StoreVersionError) return error;
  const root = rootOf(error);
  if (!(root instanceof Error)) return error;
  const { message: reason, code } = root as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  const folder = dirname(path);
  if (isFull(folder, code)) {
    return new StoreRefusedError(
      `The disk of ${folder} is full: ${path} cannot be written or opened there (${reason}). It was left as it is. Make room and try again.`,
      error,
    );
  }
  if (refusedCodes.test(code)) {
    return new StoreRefusedError(
      `The store ${path} cannot be opened (${reason}): its folder and files must be writable for who runs memoryd. Give them to that user, or name another place in MEMORYD_DATABASE_URL (sqlite:FILE).`,
      error,
    );
  }
  if (busyCodes.test(code)) {
    return new StoreRefusedError(`Another process keeps ${path} busy (${reason}). Try again.`, error);
  }
  return code.startsWith('SQLITE_') ? notUsable(path, reason, error) : error;
}

/** The store cannot be opened; the message tells the operator how to resolve it. */
export class StoreRefusedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreRefusedError';
  }
}

const linesMax = 20;
/** Names of the keyword index in SQLite's messages on damage. */
const ofIndex = /keyword_index|fts5/i;

export interface Damage {
  /** Damage of tables and their indexes. */
  readonly database: string[];
  /** Damage inside the keyword index, which can be rewritten from the records. */
  readonly index: string[];
}

/** Faults that SQLite's own check finds, also in FTS5 indexes. `quick` leaves out indexes of tables. */
export function damageOf(sqlite: SqliteConnection.Database, check: 'quick' | 'integrity'): Damage {
  const rows = sqlite.pragma(`${check}_check(${linesMax})`) as Record<string, string>[];
  const damage = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  return {
    database: damage.filter((line) => !ofIndex.test(line)),
    index: damage.filter((line) => ofIndex.test(line)),
  };
}
