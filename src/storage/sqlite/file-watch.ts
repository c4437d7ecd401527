import { statSync } from 'node:fs';
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

/**
 * Tells whether the files that are open are still those at the path of the store. What is written to a file that was
 * removed or replaced is gone with the process, and SQLite does not notice. Three calls of `stat`: 12 to 33 µs, measured.
 */
export class FileWatch {
  readonly #path: string;
  readonly #files: readonly Watched[];
  #size: number;
  #isCut = false;

  /** @param path of an open store, whose WAL is there by now */
  constructor(path: string) {
    this.#path = path;
    this.#files = [path, `${path}-wal`, `${path}-shm`].flatMap(identify);
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
    for (const { path, device, inode } of this.#files) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return 'STORE_FILE_REMOVED';
      if (found.ino !== inode || found.dev !== device) return 'STORE_FILE_REPLACED';
      if (path === this.#path) this.#compare(found.size);
    }
    return this.#isCut ? 'STORE_FILE_CUT' : undefined;
  }

  /** A file gets smaller by a vacuum too. Opening an empty one would remove its WAL, from which it may be rescued. */
  #compare(size: number): void {
    if (size < this.#size) this.#isCut = size === 0 || !isWhole(this.#path);
    this.#size = size;
  }
}
