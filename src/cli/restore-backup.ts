import { sqlitePathOf } from '../config/data-folder.ts';
import { loadConfig } from '../config/load.ts';
import { isSqliteFile, restoreSqlite } from '../open-storage.ts';
import { readHead } from './transfer/file-reader.ts';
import { loadFile } from './transfer/load-file.ts';
import { type InputFile, withInputFile } from './transfer/with-input-file.ts';
import { withStorageAlone } from './with-storage.ts';

interface RestoreOptions {
  /** Whether the content of the store may be replaced. */
  readonly replace: boolean;
}

/** Replaces the store by a backup. @param file or `-` @throws Error if the store is in use or has users */
export function restoreBackup(file: string, options: RestoreOptions): Promise<void> {
  return withInputFile(file, (input) => restore(input, options));
}

async function restore({ path: file, name }: InputFile, { replace }: RestoreOptions): Promise<void> {
  const path = sqlitePathOf(loadConfig());
  const isCopy = isSqliteFile(file);
  if (isCopy && path === undefined) {
    throw new Error(
      `${name} is a copy of an SQLite store: PostgreSQL wants one made with \`backup --lines\`.`,
    );
  }
  const head = isCopy ? undefined : await readHead(file, name);
  if (path !== undefined && !head) return restoreSqlite(path, file, { replace });
  if (!head) throw new Error(`${name} is no backup of memoryd.`);
  await withStorageAlone(async ({ transfer, users }) => {
    const present = (await users.list()).length;
    if (present > 0 && !replace) {
      throw new Error(
        `The store holds ${present} users. Restoring replaces all of them: say --yes if that is what you want.`,
      );
    }
    await loadFile(transfer, { path: file, name, head, format: 'memoryd-backup' });
  });
}
