import { statSync } from 'node:fs';
import type SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { userGone } from '../../domain/shared/errors.ts';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import type { DocumentIndexer, Encoders, IndexReader } from '../../retrieval/ports.ts';
import type { StorageEngine } from '../engine.ts';
import { SqlIdempotencyStore } from '../sql/idempotency-store.ts';
import { SqlIndexRows } from '../sql/index-rows.ts';
import { SqlKeyStore } from '../sql/key-store.ts';
import type { Database } from '../sql/schema.ts';
import { documentTables } from '../sql/transfer/moved-tables.ts';
import { SqlTransfer } from '../sql/transfer/sql-transfer.ts';
import { SqlUpkeep } from '../sql/upkeep/sql-upkeep.ts';
import type { UpkeepParts } from '../sql/upkeep/upkeep-parts.ts';
import { usersWithDue } from '../sql/upkeep/users-with-due.ts';
import { UserDatabase } from '../sql/user-database.ts';
import { SqlUserStore, type UserStoreParts } from '../sql/user-store.ts';
import { userReaders, userWriters } from '../sql/user-stores.ts';
import { openFirstSpace } from '../sql/vectors/change-spaces.ts';
import { LiveSpaces } from '../sql/vectors/live-spaces.ts';
import { VectorUpkeep } from '../sql/vectors/vector-upkeep.ts';
import { WriteQueue } from '../sql/write-queue.ts';
import { kyselyOver } from './dialect.ts';
import { toStorageError } from './errors.ts';
import { PendingDocuments, SqliteKeywordReader, SqliteKeywordWriter } from './keyword-index.ts';
import { connect, prepareStore } from './open.ts';
import { ReadTurn } from './read-turn.ts';
import { segmentMerger } from './segment-merger.ts';
import { isServed, lockForServing } from './serve-lock.ts';
import { withSnapshot } from './store-snapshot.ts';
import { readColumns } from './table-columns.ts';
import { TextScrubber } from './text-scrubber.ts';
import { sqliteGroups } from './write-group.ts';

export interface SqliteEngineOptions {
  readonly path: string;
  readonly indexer: DocumentIndexer;
  /** Absent: no vectors are made. */
  readonly encoders?: Encoders;
  /** True for the one process that serves the file; commands beside it pass false. */
  readonly exclusive: boolean;
  readonly failures?: FailureLog;
}

interface Connections {
  readonly write: SqliteConnection.Database;
  readonly read: SqliteConnection.Database;
  readonly release: () => void;
  readonly failures: FailureLog;
}

async function openConnections(options: SqliteEngineOptions): Promise<Connections> {
  const { path, exclusive, failures = new FailureLog() } = options;
  const write = connect(path);
  let lock: { release(): void } | undefined;
  try {
    if (exclusive) lock = lockForServing(path);
    // A running service has looked through the file.
    await prepareStore(path, write, { serving: exclusive, isChecked: !exclusive && isServed(path) });
    const read = connect(path);
    read.pragma('query_only = ON');
    return { write, read, release: () => lock?.release(), failures };
  } catch (error) {
    write.close();
    lock?.release();
    throw error;
  }
}

/** Erasing rewrites the index segments, for a contentless FTS5 table keeps a deleted term until it is merged away. */
async function eraseDocuments(
  db: Kysely<Database>,
  documents: PendingDocuments,
  userId: number,
): Promise<void> {
  documents.eraseUser(userId);
  for (const table of documentTables) {
    const docs = await db
      .selectFrom(table as 'facts')
      .select('doc')
      .where('user_id', '=', userId)
      .execute();
    for (const { doc } of docs) await sql`DELETE FROM keyword_index WHERE rowid = ${doc}`.execute(db);
  }
  await sql`INSERT INTO keyword_index (keyword_index) VALUES ('optimize')`.execute(db);
}

async function eraseOrphans(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  for (const doc of docs) await sql`DELETE FROM keyword_index WHERE rowid = ${doc}`.execute(db);
}

async function resetIndex(db: Kysely<Database>): Promise<void> {
  await sql`INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')`.execute(db);
}

/** The handle that reads, and the queue through which everything is written. */
async function openQueue({ write, read }: Pick<Connections, 'write' | 'read'>, spaces: LiveSpaces) {
  const handle = kyselyOver(write);
  const turn = new ReadTurn(read);
  const documents = new PendingDocuments(write);
  const spacesRevision = write.prepare("SELECT value FROM store_counters WHERE name = 'spaces'").pluck();
  // A command beside the service may have begun or ended a change of model.
  const prepare = async () => {
    if (spacesRevision.get() !== spaces.revision) await spaces.refresh(handle);
  };
  const queue = new WriteQueue(sqliteGroups(write, { handle, documents, turn, prepare }), toStorageError);
  await queue.run((db) => openFirstSpace(db, spaces.wanted, Date.now()));
  await spaces.refresh(handle);
  const writeIn = <T>(body: (db: Kysely<Database>) => Promise<T>) => queue.run(body);
  const counters = write.prepare<[number]>('SELECT 1 FROM user_counters WHERE user_id = ?');
  const writeAs = <T>({ id }: UserRef, body: (db: Kysely<Database>) => Promise<T>) =>
    queue.run((db) => {
      if (!counters.get(id)) throw userGone();
      return body(db);
    });
  return { readDb: kyselyOver(read, turn), turn, documents, queue, writeIn, writeAs };
}

function storeBytes(path: string): number {
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

function openUsers(
  base: Pick<UserStoreParts, 'read' | 'write'>,
  documents: PendingDocuments,
  scrubber: TextScrubber,
): SqlUserStore {
  return new SqlUserStore({
    ...base,
    eraseDocuments: (db, userId) => eraseDocuments(db, documents, userId),
    afterErasure: () => scrubber.emptyWal(),
  });
}

/** Opens the SQLite store: one connection that writes, in grouped commits, and one that reads what is committed. */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<StorageEngine> {
  const { write, read, release, failures } = await openConnections(options);
  const spaces = new LiveSpaces(options.encoders);
  const { readDb, turn, documents, queue, writeIn, writeAs } = await openQueue({ write, read }, spaces);
  const base = { read: readDb, write: writeIn, failures };
  const vectors = new VectorUpkeep({
    spaces,
    ...base,
    writeOf: (_, body) => queue.run(body),
    isShared: false,
    isOnly: options.exclusive,
  });
  const keywordsOf = (userId: number) => new SqliteKeywordWriter(userId, documents);

  const forUser = (user: UserRef): UserStores => ({
    ...userReaders(readDb, user.id),
    transaction: <T>(body: (tx: UserWriters) => Promise<T>) =>
      vectors.after(
        writeAs(user, (db) => {
          const keywords = keywordsOf(user.id);
          return body(userWriters({ db, userId: user.id, keywords, indexer: options.indexer, spaces }));
        }),
      ),
  });

  const indexFor = (user: UserRef): IndexReader => {
    const rows = new SqlIndexRows(new UserDatabase(readDb, user.id));
    const own = new SqliteKeywordReader(read, turn, user.id);
    return Object.assign(rows, { postings: own.postings.bind(own), holders: own.holders.bind(own) });
  };

  const parts: UpkeepParts = {
    indexer: options.indexer,
    spaces,
    ...base,
    writeOf: (userId, body) => queue.run((db) => body(db, keywordsOf(userId))),
    stores: { forUser },
    snapshot: (body) => withSnapshot(options.path, body),
    eraseOrphans,
    resetIndex,
  };
  const upkeep = new SqlUpkeep(parts, vectors, segmentMerger(write, queue, failures));

  const scrubber = new TextScrubber({ sqlite: write, queue, turn });
  const users = openUsers(base, documents, scrubber);

  return {
    name: 'sqlite',
    vectorIndex: 'codes',
    upkeep,
    transfer: new SqlTransfer({ ...parts, users, readColumns }),
    idempotency: new SqlIdempotencyStore(parts),
    trash: {
      usersWithDue: (until, limit) => usersWithDue(readDb, until, limit),
      scrub: () => scrubber.scrub(),
    },
    keys: new SqlKeyStore(base),
    users,
    failures,
    forUser,
    indexFor,
    ...vectors.ports,
    queueDepth: () => queue.depth,
    ping: async () => void read.prepare('SELECT 1').get(),
    sizeBytes: async () => storeBytes(options.path),
    close: async () => {
      await upkeep.stop();
      await queue.idle();
      turn.end();
      read.close();
      write.close();
      release();
    },
  };
}
