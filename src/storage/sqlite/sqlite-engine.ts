import { statSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { IndexReader } from '../../retrieval/ports.ts';
import type { StorageEngine } from '../engine.ts';
import type { Database } from '../sql/core/schema.ts';
import { UserDatabase } from '../sql/core/user-database.ts';
import { SqlUpkeep } from '../sql/maintenance/sql-upkeep.ts';
import type { UpkeepParts } from '../sql/maintenance/upkeep-parts.ts';
import { SqlIndexRows } from '../sql/search-index/index-rows.ts';
import { documentTables } from '../sql/transfer/moved-tables.ts';
import { SqlTransfer } from '../sql/transfer/sql-transfer.ts';
import { usersWithDue } from '../sql/upkeep/users-with-due.ts';
import { userReaders, userWriters } from '../sql/user-stores.ts';
import { SqlIdempotencyStore } from '../sql/users/idempotency-store.ts';
import { SqlKeyStore } from '../sql/users/key-store.ts';
import { SqlUserStore, type UserStoreParts } from '../sql/users/user-store.ts';
import { LiveSpaces } from '../sql/vectors/live-spaces.ts';
import { VectorUpkeep } from '../sql/vectors/vector-upkeep.ts';
import { type PendingDocuments, SqliteKeywordReader, SqliteKeywordWriter } from './keyword-index.ts';
import { openFile, type SqliteEngineOptions } from './open-file.ts';
import { segmentMerger } from './segment-merger.ts';
import { realStorePath } from './store-path.ts';
import { withSnapshot } from './store-snapshot.ts';
import { readColumns } from './table-columns.ts';
import { TextScrubber } from './text-scrubber.ts';

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
}

async function eraseOrphans(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  for (const doc of docs) await sql`DELETE FROM keyword_index WHERE rowid = ${doc}`.execute(db);
}

async function resetIndex(db: Kysely<Database>): Promise<void> {
  await sql`INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')`.execute(db);
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
    afterErasure: () => scrubber.scrub(),
  });
}

/**
 * Opens the SQLite store: one connection that writes, in grouped commits, and one that reads what is committed.
 * @throws StoreRefusedError, StoreTooNewError
 */
export async function openSqliteEngine(given: SqliteEngineOptions): Promise<StorageEngine> {
  const options = { ...given, path: realStorePath(given.path) };
  const spaces = new LiveSpaces(options.encoders);
  const file = await openFile(options, spaces);
  const { write, read, readDb, turn, documents, queue, writeIn, writeAs, ping, failures } = file;
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
  const upkeep = new SqlUpkeep(parts, vectors, [segmentMerger(write, queue, failures)]);

  const scrubber = new TextScrubber({ path: options.path, file: file.raw, sqlite: write, queue, turn });
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
    ping,
    sizeBytes: async () => storeBytes(options.path),
    close: async () => {
      await upkeep.stop();
      await Promise.all([scrubber.idle(), queue.idle()]);
      file.close();
    },
  };
}
