import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { AppError } from '../../../domain/shared/errors.ts';
import { damageOf } from './open-failure.ts';

const retryAfterSeconds = 60;

/** Change of a file while the process has it open. */
type FileFault = 'STORE_FILE_REMOVED' | 'STORE_FILE_REPLACED' | 'STORE_FILE_CUT';

/** For the log; the code names the change. */
class StoreFileError extends Error {
  readonly code: FileFault;

  constructor(code: FileFault) {
    super(code);
    this.name = 'StoreFileError';
    this.code = code;
  }
}

const sentences: Readonly<Record<FileFault, string>> = {
  STORE_FILE_REMOVED: 'A file of the store was removed or moved away beneath the service',
  STORE_FILE_REPLACED: 'A file of the store was replaced beneath the service',
  STORE_FILE_CUT: 'The file of the store was cut beneath the service',
};

interface Watched {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

function identify(path: string): Watched[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? [{ path, device: found.dev, inode: found.ino }] : [];
}

/** Whether a new connection finds the file intact: pages in the caches of others hide a cut. */
function isWhole(path: string): boolean {
  let sqlite: SqliteConnection.Database | undefined;
  try {
    sqlite = new SqliteConnection(path, { readonly: true, fileMustExist: true });
    return damageOf(sqlite, 'quick').database.length === 0;
  } catch {
    // A file that cannot be read is not intact.
    return false;
  } finally {
    sqlite?.close();
  }
}

/** Coarsest tick of a file system's clock: a folder that changed later may change again without showing it. */
const tickMsMax = 2000;

/**
 * Checks whether the open files are still those at the path of the store. Writes to a file
 * that was removed or replaced are lost with the process, and SQLite does not notice.
 *
 * The WAL is checked only if its folder changed: Linux 6.13 and later give a file whose
 * times were read a new time with its next write, which `fsync` then has to store as well.
 * A check calls `stat` twice, for the store's file and for the folder; a call for the WAL
 * made each commit a sixth slower (`npm run bench fsync`). A folder that changed within
 * the clock's tick proves nothing, as in Git's index: https://git-scm.com/docs/racy-git.
 */
export class FileWatch {
  readonly #path: string;
  readonly #folder: string;
  readonly #file: readonly Watched[];
  readonly #withIt: readonly Watched[];
  readonly #now: () => number;
  /**
   * The folder's `ctime` in milliseconds when all files were found in place; undefined if it proves nothing.
   */
  #unchangedSince: number | undefined;
  #size: number;
  #isCut = false;

  /** @param path of an open store, whose WAL exists by now */
  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#folder = dirname(path);
    this.#file = identify(path);
    this.#withIt = [`${path}-wal`, `${path}-shm`].flatMap(identify);
    this.#now = now;
    this.#size = statSync(path).size;
  }

  /** Whether another file is at the path of the store. */
  get isReplaced(): boolean {
    return this.#fault() === 'STORE_FILE_REPLACED';
  }

  /** @throws 503 until the files are as they were; until the next start if the file was cut */
  look(): void {
    const fault = this.#fault();
    if (fault === undefined) return;
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      `${sentences[fault]}: nothing is stored until that is mended and the service started again.`,
      { retryAfter: retryAfterSeconds, cause: new StoreFileError(fault) },
    );
  }

  #fault(): FileFault | undefined {
    if (this.#isCut) return 'STORE_FILE_CUT';
    const fault = this.#lookAt(this.#file) ?? this.#faultWithIt();
    return this.#isCut ? 'STORE_FILE_CUT' : fault;
  }

  #faultWithIt(): FileFault | undefined {
    const changedAt = statSync(this.#folder, { throwIfNoEntry: false })?.ctimeMs;
    if (changedAt !== undefined && changedAt === this.#unchangedSince) return undefined;
    const fault = this.#lookAt(this.#withIt);
    const proves = fault === undefined && changedAt !== undefined && changedAt + tickMsMax < this.#now();
    this.#unchangedSince = proves ? changedAt : undefined;
    return fault;
  }

  #lookAt(files: readonly Watched[]): FileFault | undefined {
    for (const { path, device, inode } of files) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return 'STORE_FILE_REMOVED';
      if (found.ino !== inode || found.dev !== device) return 'STORE_FILE_REPLACED';
      if (path === this.#path) this.#compare(found.size);
    }
    return undefined;
  }

  /**
   * A vacuum makes a file smaller too. Opening an empty one
   * would remove its WAL, from which it may be rescued.
   */
  #compare(size: number): void {
    if (size < this.#size) this.#isCut = size === 0 || !isWhole(this.#path);
    this.#size = size;
  }
}
