import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { sql } from 'kysely';
import type { FailureLog } from '../../lib/failure-log.ts';
import { migrate, type OnNewer } from '../sql/core/migrate.ts';
import { WriteQueue } from '../sql/core/write-queue.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { openFirstSpaces } from '../sql/vectors/space-table.ts';
import { kyselyOver, ReadTransaction } from './dialect.ts';
import { toStorageError } from './errors.ts';
import { FileWatch } from './file/file-watch.ts';
import { damageOf, notUsable, StoreRefusedError, toOpenFailure } from './file/open-failure.ts';
import { RawFile } from './file/raw-file.ts';
import { assertNotLost, clearLost, makeStore } from './file/store-path.ts';
import { PendingDocuments } from './keyword-index.ts';
import { sqliteMigrations } from './migrations.ts';
import { assertNotTornApart, isServed, lockForServing } from './serve-lock.ts';
import { sqliteGroups } from './write-group.ts';

const lookEveryMs = 5000;

export interface SqliteOptions {
  readonly path: string;
  /** True for the one process that serves the file; commands that work next to it pass false. */
  readonly exclusive: boolean;
  /** True for a command that replaces this store, which may be lost, by another one. */
  readonly replacing?: boolean;
  /** Called with a line if a service serves a store that is newer than its program. */
  readonly onNewer?: OnNewer;
}

interface Connections {
  readonly write: SqliteConnection.Database;
  readonly read: SqliteConnection.Database;
  readonly raw: RawFile;
  /** Call after both are closed. */
  readonly release: () => void;
}

interface OpenDeps {
  readonly spaces: SpaceRegistry;
  readonly failures: FailureLog;
}

export type OpenStore = Awaited<ReturnType<typeof openStore>>;

async function openConnections(options: SqliteOptions): Promise<Connections> {
  const { path, exclusive, replacing } = options;
  if (replacing) clearLost(path);
  if (!exclusive) assertNotTornApart(path);
  const write = connect(path);
  let lock: { release(): void } | undefined;
  try {
    if (exclusive) lock = lockForServing(path);
    // A running service has checked the file already.
    await prepareStore(path, write, { ...options, isChecked: !exclusive && isServed(path) });
    const read = connect(path);
    read.pragma('query_only = ON');
    const raw = new RawFile(path);
    const release = () => {
      raw.close();
      lock?.release();
    };
    return { write, read, raw, release };
  } catch (error) {
    write.close();
    lock?.release();
    throw error;
  }
}

/** The handle that reads, and the queue of all writes. */
async function openQueue(path: string, { write, read }: Connections, spaces: SpaceRegistry) {
  const handle = kyselyOver(write);
  const turn = new ReadTransaction(read);
  const documents = new PendingDocuments(write);
  const spacesRevision = write.prepare("SELECT value FROM store_counters WHERE name = 'spaces'").pluck();
  // A command next to the service may have begun or ended a change of model.
  const prepare = async () => {
    if (spacesRevision.get() !== spaces.revision) await spaces.refresh(handle);
  };
  const watch = new FileWatch(path);
  const assertWritable = () => watch.look();
  const groups = sqliteGroups(write, { handle, documents, turn, assertWritable, prepare });
  const queue = new WriteQueue(groups, toStorageError);
  await queue.run((db) => openFirstSpaces(db, spaces.targets, Date.now()));
  await spaces.refresh(handle);
  return { readDb: kyselyOver(read, turn), turn, documents, queue, watch };
}

/**
 * Renames the WAL of a replaced file: the next process to open the other file would write it over that one.
 */
function setWalAside(path: string): void {
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${path}-wal.of-replaced-file`);
  rmSync(`${path}-shm`, { force: true });
}

/** Logs a removed, replaced or cut file even if there are no writes and no health checks. */
function lookEvery(watch: FileWatch, failures: FailureLog): NodeJS.Timeout {
  const look = () => {
    try {
      watch.look();
    } catch (error) {
      failures.failed('store_probe', error);
    }
  };
  return setInterval(look, lookEveryMs).unref();
}

/**
 * Opens the file of the store, with every step that can fail because of the file.
 * @throws StoreRefusedError, StoreVersionError
 */
export async function openStore(options: SqliteOptions, { spaces, failures }: OpenDeps) {
  let connections: Connections | undefined;
  try {
    connections = await openConnections(options);
    const queue = await openQueue(options.path, connections, spaces);
    const { read, write, raw, release } = connections;
    const ping = async () => {
      queue.watch.look();
      // Reads the file, unlike `SELECT 1`.
      read.prepare('SELECT count(*) FROM sqlite_master').get();
    };
    const looking = options.exclusive ? lookEvery(queue.watch, failures) : undefined;
    const close = () => {
      clearInterval(looking);
      const { isReplaced } = queue.watch;
      queue.turn.end();
      read.close();
      write.close();
      if (isReplaced) setWalAside(options.path);
      release();
    };
    return { read, write, raw, failures, ...queue, ping, close };
  } catch (error) {
    connections?.read.close();
    connections?.write.close();
    connections?.release();
    throw toOpenFailure(options.path, error);
  }
}

/** Maximum wait of a write for other processes. A command waits longer: a busy service leaves it few gaps. */
const busyTimeoutMs = { serving: 5000, command: 30_000 };
const walBytesMax = 64 * 1024 * 1024;
const versionMin = [3, 51, 3];

/** SQLite 3.7.0 to 3.51.2 can lose committed data when a WAL is reset: https://sqlite.org/wal.html#walresetbug */
function assertSafeVersion(version: string): void {
  const found = version.split('.').map(Number);
  for (const [i, least] of versionMin.entries()) {
    if (found[i] > least) return;
    if (found[i] < least) {
      throw new StoreRefusedError(
        `SQLite ${version} can lose committed data (WAL-reset bug): ${versionMin.join('.')} or later is needed. Reinstall better-sqlite3 with \`npm ci\`.`,
      );
    }
  }
}

function configure(sqlite: SqliteConnection.Database): void {
  sqlite.pragma(`busy_timeout = ${busyTimeoutMs.serving}`);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('secure_delete = ON');
  // A checkpoint writes a page of many commits once: four times the default interval, 16 MB of WAL.
  sqlite.pragma('wal_autocheckpoint = 4000');
  sqlite.pragma(`journal_size_limit = ${walBytesMax}`);
  // Per connection. A larger cache saved no processor time in searches
  // of 300,000 memories: the system caches the file's pages too.
  sqlite.pragma('cache_size = -8192');
  sqlite.pragma('temp_store = MEMORY');
}

/** Called before the file is changed, and before a lock is created next to it. */
function assertOurs(path: string, sqlite: SqliteConnection.Database): void {
  const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  if (tables.length > 0 && !tables.includes('schema_migrations'))
    throw notUsable(path, 'the file is a database of another program');
}

function assertUsable(path: string, sqlite: SqliteConnection.Database, serving: boolean): void {
  const damage = damageOf(sqlite, 'quick');
  if (damage.database.length > 0) throw notUsable(path, damage.database[0]);
  if (serving && damage.index.length > 0) {
    throw new StoreRefusedError(
      `The keyword index in ${path} is damaged: ${damage.index[0]}. The records are not: run \`memoryd check --repair\`, then start again.`,
    );
  }
}

/**
 * A connection to the file at `path`, created with mode 0600 if it never existed. @throws StoreRefusedError
 */
export function connect(path: string): SqliteConnection.Database {
  let sqlite: SqliteConnection.Database | undefined;
  try {
    assertNotLost(path);
    makeStore(path);
    sqlite = new SqliteConnection(path, { fileMustExist: true });
    assertSafeVersion(sqlite.prepare('SELECT sqlite_version()').pluck().get() as string);
    assertOurs(path, sqlite);
    configure(sqlite);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw toOpenFailure(path, error);
  }
}

/**
 * Checks the file and migrates its tables to the current version, under SQLite's write lock.
 * Commands may work with a damaged keyword index, since one of them repairs it; the service may not.
 * @throws an error that `toOpenFailure` explains
 * @param isChecked skips the check of the file, which takes seconds for each gigabyte
 */
async function prepareStore(
  path: string,
  sqlite: SqliteConnection.Database,
  { exclusive: serving, onNewer, isChecked = false }: SqliteOptions & { isChecked?: boolean },
): Promise<void> {
  if (!serving) sqlite.pragma(`busy_timeout = ${busyTimeoutMs.command}`);
  if (!isChecked) {
    assertUsable(path, sqlite, serving);
    // The check filled the cache with pages that are not needed.
    sqlite.pragma('shrink_memory');
  }
  const db = kyselyOver(sqlite);
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    await migrate(db, sqliteMigrations, { onNewer: serving ? onNewer : undefined });
    sqlite.exec('COMMIT');
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
  await sql`PRAGMA optimize`.execute(db);
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) chmodSync(path + suffix, 0o600);
}
