import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { AppError } from '../../domain/shared/errors.ts';
import { damageOf } from './damage.ts';

const retryAfterSeconds = 60;

/** What became of a file beneath the process that has it open. */
export type FileFault = 'STORE_FILE_REMOVED' | 'STORE_FILE_REPLACED' | 'STORE_FILE_CUT';

/** For the log: the code says what happened. */
export class StoreFileError extends Error {
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

/** Whether a connection of its own finds the file whole: pages that others keep in memory hide a cut. */
function isWhole(path: string): boolean {
  let sqlite: SqliteConnection.Database | undefined;
  try {
    sqlite = new SqliteConnection(path, { readonly: true, fileMustExist: true });
    return damageOf(sqlite, 'quick').database.length === 0;
  } catch {
    // What cannot be read at all is not whole.
    return false;
  } finally {
    sqlite?.close();
  }
}

/** Coarsest tick of a file system's clock: a folder that changed later may change again without showing it. */
const tickMsMax = 2000;

/**
 * Tells whether the files that are open are still those at the path of the store. What is written to a file that was
 * removed or replaced is gone with the process, and SQLite does not notice.
 *
 * The WAL is looked at only where its folder changed since: Linux 6.13 and later give a file whose times were read a new
 * time with its next write, which `fsync` then has to store as well. Two calls of `stat`, of the store's file and of the
 * folder; one of the WAL made each commit a sixth slower (`npm run bench:fsync`). A folder that changed a
 * moment ago proves nothing, as in Git's index: https://git-scm.com/docs/racy-git.
 */
export class FileWatch {
  readonly #path: string;
  readonly #folder: string;
  readonly #file: readonly Watched[];
  readonly #withIt: readonly Watched[];
  readonly #now: () => number;
  /** The folder's `ctime` in milliseconds when all was found in place; undefined where that proves nothing. */
  #unchangedSince: number | undefined;
  #size: number;
  #isCut = false;

  /** @param path of an open store, whose WAL is there by now */
  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#folder = dirname(path);
    this.#file = identify(path);
    this.#withIt = [`${path}-wal`, `${path}-shm`].flatMap(identify);
    this.#now = now;
    this.#size = statSync(path).size;
  }

  /** Whether another file stands at the path of the store. */
  get isReplaced(): boolean {
    return this.#fault() === 'STORE_FILE_REPLACED';
  }

  /** @throws 503 until the files are as they were; until the next start where the file was cut */
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

  /** A file gets smaller by a vacuum too. Opening an empty one would remove its WAL, from which it may be rescued. */
  #compare(size: number): void {
    if (size < this.#size) this.#isCut = size === 0 || !isWhole(this.#path);
    this.#size = size;
  }
}
