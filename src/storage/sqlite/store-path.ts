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
 * The file itself where `path` is a symbolic link to it, so that what stands next to the file (WAL, lock) has one name.
 * @throws StoreRefusedError for a link that leads nowhere
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

/** Files that only a store which was opened once has next to it. */
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
 * Looks at what stands where a store is to be opened, before anything is made or changed.
 * @throws StoreRefusedError where a store was and is not any more, or the file has several names
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

/** For a command that replaces the store: takes away what is left of one that is lost. */
export function clearLost(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && found.size > 0) return;
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
