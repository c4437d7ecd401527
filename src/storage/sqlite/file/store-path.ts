import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { StoreRefusedError, toOpenFailure } from './open-failure.ts';

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (error) {
    throw toOpenFailure(path, error);
  }
}

/**
 * The target if `path` is a symbolic link, so that the files next to the store (WAL, lock) have one name.
 * @throws StoreRefusedError for a link without a target
 */
export function realStorePath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  if (isLink(path)) {
    throw new StoreRefusedError(
      `${path} is a symbolic link to a file that is not there. Is its disk mounted? To begin with an empty store, remove the link.`,
    );
  }
  return path;
}

/** Files that exist only next to a store that was opened before. */
const tracesOf = (path: string) => [`${path}-wal`, `${path}-serve`].filter((file) => existsSync(file));

function assertWhole(path: string, { size, nlink }: { readonly size: number; readonly nlink: number }): void {
  if (size === 0) {
    throw new StoreRefusedError(
      `${path} is empty, as no store ever is: it was cut, or made by something else. Put a backup in its place (\`memoryd restore FILE\`); to begin with an empty store, remove it (with its -wal, -shm and -serve).`,
    );
  }
  if (nlink > 1) {
    throw new StoreRefusedError(
      `${path} has ${nlink} names (hard links). Two processes that open it by different names would lose each other's writes: remove all names but one (\`find DISK -samefile ${path}\`), or restore a backup to a place of its own.`,
    );
  }
}

/**
 * Checks the path of a store before anything is created or changed.
 * @throws StoreRefusedError if the store was lost, or the file has several names
 */
export function assertNotLost(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) {
    assertWhole(path, found);
    return;
  }
  const traces = tracesOf(path);
  if (traces.length === 0) return;
  throw new StoreRefusedError(
    `There is no file ${path}, but there was a store: ${traces.join(' and ')} ${traces.length > 1 ? 'are' : 'is'} there. Put the file back, or a backup in its place (\`memoryd restore FILE\`); to begin with an empty store, remove what is left.`,
  );
}

/** Removes the remains of a lost store, for a command that replaces it. */
export function clearLost(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && found.size > 0) return;
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

const waitMs = 50;
/** Making a store takes some 10 ms: an older draft was abandoned by its process. */
const draftTriesMax = 60;

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Creates the draft file, under its one name. @returns false if another process made the store first */
function takeDraft(path: string, draft: string): boolean {
  for (let tries = 0; !existsSync(path); tries++) {
    try {
      closeSync(openSync(draft, 'wx', 0o600));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (tries >= draftTriesMax) rmSync(draft, { force: true });
      else pause(waitMs);
    }
  }
  return false;
}

function removeDraft(draft: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
}

/**
 * Makes an empty database of mode 0600 if there is none. The file gets its name
 * once it is a database, so that an empty file is never an unfinished store.
 */
export function makeStore(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.creating`;
  if (!takeDraft(path, draft)) return;
  try {
    if (existsSync(path)) {
      removeDraft(draft);
      return;
    }
    const sqlite = new SqliteConnection(draft);
    try {
      sqlite.pragma('journal_mode = WAL');
    } finally {
      sqlite.close();
    }
    renameSync(draft, path);
  } catch (error) {
    removeDraft(draft);
    throw error;
  }
}
