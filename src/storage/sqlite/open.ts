import { chmodSync, existsSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { sql } from 'kysely';
import { migrate } from '../sql/core/migrate.ts';
import { damageOf } from './damage.ts';
import { kyselyOver } from './dialect.ts';
import { makeStore } from './make-store.ts';
import { sqliteMigrations } from './migrations.ts';
import { notUsable, toOpenFailure } from './open-failure.ts';
import { assertNotLost } from './store-path.ts';
import { StoreRefusedError } from './store-refused.ts';

/** Maximum wait of a write for other processes. A command waits longer: a busy service leaves it few gaps. */
const busyTimeoutMs = { serving: 5000, command: 30_000 };
const walBytesMax = 64 * 1024 * 1024;
const versionMin = [3, 51, 3];

/** SQLite 3.7.0 to 3.51.2 can lose committed data when a WAL is reset: https://sqlite.org/wal.html#walresetbug */
export function assertSafeVersion(version: string): void {
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
export async function prepareStore(
  path: string,
  sqlite: SqliteConnection.Database,
  { serving, isChecked = false }: { serving: boolean; isChecked?: boolean },
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
    await migrate(db, sqliteMigrations);
    sqlite.exec('COMMIT');
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
  await sql`PRAGMA optimize`.execute(db);
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) chmodSync(path + suffix, 0o600);
}
