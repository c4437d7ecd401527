import { existsSync, lstatSync, realpathSync, rmSync, statSync } from 'node:fs';
import { toOpenFailure } from './open-failure.ts';
import { StoreRefusedError } from './store-refused.ts';

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
