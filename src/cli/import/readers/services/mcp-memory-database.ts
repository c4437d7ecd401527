import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Fields, type ImportRecord, type InputFile, UnreadableError } from '../reader.ts';

/** A database that is open for reading. */
export interface OpenDatabase {
  /** All rows of a table, one after the other; none if there is no such table. */
  rows(table: 'memories' | 'memory_graph'): Iterable<Fields>;
}

/**
 * Records of a SQLite database, which is opened read-only. A database that is broken yields the records before
 * the fault, and a refusal.
 */
export async function* recordsOfDatabase(
  file: InputFile,
  read: (database: OpenDatabase) => Generator<ImportRecord>,
): AsyncGenerator<ImportRecord> {
  let opened: Opened | undefined;
  try {
    opened = await open(file);
    const { database } = opened;
    yield* read({ rows: (table) => rowsOf(database, table) });
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    yield { kind: 'refused', at: file.path, reason: `the database cannot be read: ${error.message}` };
  } finally {
    opened?.close();
  }
}

/** Whether a file is a database with a column of this name in its table of memories. */
export async function hasMemories(file: InputFile, column: string): Promise<boolean> {
  if (!(await file.head(magic.length)).startsWith(magic)) return false;
  let opened: Opened | undefined;
  try {
    opened = await open(file);
    const columns = opened.database
      .prepare("SELECT name FROM pragma_table_info('memories')")
      .all() as Fields[];
    return columns.some(({ name }) => name === column);
  } catch (error) {
    // A broken database is none of ours.
    if (isUnreadable(error)) return false;
    throw error;
  } finally {
    opened?.close();
  }
}

const isUnreadable = (error: unknown): error is Error =>
  error instanceof Database.SqliteError || error instanceof UnreadableError;

const magic = 'SQLite format 3\0';

interface Opened {
  readonly database: Database.Database;
  close(): void;
}

/** A database in WAL mode is copied first: SQLite would write files next to the user's. */
async function open(file: InputFile): Promise<Opened> {
  const path = await file.diskPath();
  const folder = (await isWal(file)) ? mkdtempSync(join(tmpdir(), 'memoryd-import-')) : undefined;
  const removeFolder = () => folder && rmSync(folder, { recursive: true, force: true });
  try {
    const source = folder === undefined ? path : copied(path, folder);
    const database = new Database(source, { readonly: true, fileMustExist: true });
    return {
      database,
      close: () => {
        database.close();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

const walVersion = '\u0002';

/** By the version of the file format. */
async function isWal(file: InputFile): Promise<boolean> {
  return (await file.head(20))[18] === walVersion;
}

function copied(path: string, folder: string): string {
  const copy = join(folder, 'database');
  copyFileSync(path, copy);
  // The newest rows are in its log only.
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  return copy;
}

function rowsOf(database: Database.Database, table: string): Iterable<Fields> {
  const named = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?")
    .get(table);
  return named === undefined
    ? []
    : (database.prepare(`SELECT * FROM ${table}`).iterate() as Iterable<Fields>);
}
