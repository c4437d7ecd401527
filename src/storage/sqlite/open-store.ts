import { existsSync, renameSync, rmSync } from 'node:fs';
import type SqliteConnection from 'better-sqlite3';
import type { FailureLog } from '../../lib/failure-log.ts';
import { WriteQueue } from '../sql/core/write-queue.ts';
import { openFirstSpaces } from '../sql/vectors/change-spaces.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { kyselyOver } from './dialect.ts';
import { toStorageError } from './errors.ts';
import { FileWatch } from './file-watch.ts';
import { PendingDocuments } from './keyword-index.ts';
import { connect, prepareStore } from './open.ts';
import { toOpenFailure } from './open-failure.ts';
import { RawFile } from './raw-file.ts';
import { ReadTransaction } from './read-transaction.ts';
import { assertNotTornApart, isServed, lockForServing } from './serve-lock.ts';
import { clearLost } from './store-path.ts';
import { sqliteGroups } from './write-group.ts';

const lookEveryMs = 5000;

export interface SqliteOptions {
  readonly path: string;
  /** True for the one process that serves the file; commands that work next to it pass false. */
  readonly exclusive: boolean;
  /** True for a command that replaces this store, which may be lost, by another one. */
  readonly replacing?: boolean;
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
    await prepareStore(path, write, { serving: exclusive, isChecked: !exclusive && isServed(path) });
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
