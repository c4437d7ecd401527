import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';

const waitMs = 50;
/** Making a store takes some 10 ms: an older draft was abandoned by its process. */
const draftTriesMax = 60;

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Creates the draft file, of which there is one name. @returns false if another process made the store first
 */
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
