import { type Kysely, sql } from 'kysely';
import { storeReadOnly } from '../../domain/shared/errors.ts';
import type { FailureLog } from '../../lib/failure-log.ts';
import type { Database } from '../sql/core/schema.ts';
import { documentTables } from '../sql/core/user-data-tables.ts';
import { KnownTerms } from '../sql/search-index/keyword-index.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import type { CellType, Column } from '../sql/transfer/table-shapes.ts';
import { hashKey, type IndexedDocuments, type StoreSnapshot } from '../sql/upkeep/indexed-documents.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { PostgresNotices } from './change-notices.ts';
import {
  eraseDocuments,
  KeywordPartitions,
  PostgresKeywordReader,
  usersWithLongLists,
} from './keyword-index.ts';
import { LongWork } from './long-work.ts';
import type { OpenStore, PostgresOptions } from './open-store.ts';
import { inSharedTransaction } from './serve-lock.ts';
import { TextScrubber } from './text-scrubber.ts';
import { indexedWrites, UserQueues } from './user-queues.ts';

interface DriverDeps {
  readonly spaces: SpaceRegistry;
  readonly failures: FailureLog;
}

async function readSize(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`.execute(
    db,
  );
  return rows[0].bytes;
}

/** Nothing is behind if all that arrived is replayed and more would arrive; else the last transaction tells the age. */
async function readReplayLag(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT CASE
      WHEN NOT pg_is_in_recovery() THEN 0
      WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
      ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())
    END::float8 AS seconds`.execute(db);
  return rows[0].seconds ?? undefined;
}

/** PostgreSQL: any number of processes may work on the store at once. */
export function postgresDriver(
  { db, locks, hasSessions, isDistributed, isSplit, lock, close }: OpenStore,
  { use, url }: PostgresOptions,
  { spaces, failures }: DriverDeps,
): SqlDriver {
  const mayBeReplaced = use !== 'alone';
  const known = new KnownTerms();
  const parts = new KeywordPartitions();
  const keywordDeps = { longLists: usersWithLongLists(), parts };
  const queues = new UserQueues(db, { known, spaces }, { isShared: mayBeReplaced, isDistributed });
  const isReadOnly = use === 'read';
  const refuse = async () => {
    throw storeReadOnly();
  };
  const write: SqlDriver['write'] = (body) =>
    mayBeReplaced ? inSharedTransaction(db, body) : db.transaction().execute(body);
  // A replica refuses LISTEN.
  const notices = new PostgresNotices({ url, db, failures, isHeard: hasSessions && !isReadOnly });
  const longWork = new LongWork({ db, locks, hasSessions });
  const scrubber = new TextScrubber({ db, longWork, write, failures, parts, isSplit });
  return {
    name: 'postgres',
    isReadOnly,
    replayLag: () => readReplayLag(db),
    read: db,
    isShared: true,
    isDistributed,
    isOnly: false,
    maintenance: { vacuumErased: () => scrubber.look(), leading: lock?.leading?.bind(lock) },
    readColumns,
    write: isReadOnly ? refuse : write,
    writeOf: isReadOnly ? refuse : indexedWrites(queues, { known, isDistributed }),
    notices,
    indexOf: (userId) => {
      const keywords = new PostgresKeywordReader(db, userId, keywordDeps);
      return {
        postings: keywords.postings.bind(keywords),
        docsContaining: keywords.docsContaining.bind(keywords),
      };
    },
    snapshot: (body) => withSnapshot(db, body),
    eraseDocuments,
    // The places of rows are numbered in each part of a table: without its user a row of another part would go.
    eraseRows: async (tx, { table, userId, limit }) =>
      void (await sql`DELETE FROM ${sql.table(table)} WHERE user_id = ${userId} AND ctid = ANY(ARRAY(
        SELECT ctid FROM ${sql.table(table)} WHERE user_id = ${userId} LIMIT ${limit}))`.execute(tx)),
    eraseOrphans,
    resetIndex: async (tx) => void (await sql`DELETE FROM keyword_documents`.execute(tx)),
    scrub: (userId) => scrubber.scrub(userId),
    scrubWholly: (userId) => scrubber.scrubWholly(userId),
    queueDepth: () => queues.depth,
    ping: async () => void (await sql`SELECT 1`.execute(db)),
    sizeBytes: () => readSize(db),
    close: async () => {
      await queues.idle();
      await notices.close();
      await close();
    },
  };
}

const types: Readonly<Record<string, CellType>> = {
  int8: 'integer',
  int4: 'integer',
  float8: 'real',
  text: 'text',
  bytea: 'bytes',
};

/** Columns of a table as the database states them. */
async function readColumns(db: Kysely<Database>, table: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string; nullable: boolean; keyPlace: number }>`
    SELECT a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable,
      coalesce(array_position(string_to_array(i.indkey::text, ' '), a.attnum::text), 0) AS "keyPlace"
    FROM pg_attribute AS a
    JOIN pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = to_regclass(${table}) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum`.execute(db);
  return rows.map(({ type, ...column }) => ({ ...column, type: types[type] }));
}

const documentsPerRead = 1000;

interface DocumentRow {
  readonly user_id: number;
  readonly doc: number;
  readonly keys: readonly string[];
}

/** Runs `body` in a transaction that sees the current state of the store throughout. */
async function withSnapshot<T>(
  db: Kysely<Database>,
  body: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return transaction.execute((tx) =>
    body({
      db: tx,
      // PostgreSQL fails by itself on a damaged page; running `amcheck` is up to the operator.
      damage: async () => ({ database: [], index: [] }),
      readDocuments: (indexed) => readDocuments(tx, indexed),
    }),
  );
}

async function readDocuments(tx: Kysely<Database>, indexed: IndexedDocuments): Promise<void> {
  let after = { user_id: -1, doc: -1 };
  for (;;) {
    const { rows } = await sql<DocumentRow>`
      SELECT user_id, doc, tsvector_to_array(keys) AS keys FROM keyword_documents
      WHERE (user_id, doc) > (${after.user_id}, ${after.doc})
      ORDER BY user_id, doc LIMIT ${documentsPerRead}`.execute(tx);
    for (const { user_id, doc, keys } of rows) {
      indexed.addDocument(doc);
      for (const key of keys) indexed.addKey(user_id, doc, hashKey(key));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < documentsPerRead) return;
    after = last;
  }
}

/** Documents are stored by user: deletes only rows without a record of their own user. */
async function eraseOrphans(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  const unrecorded = documentTables.map(
    (table) =>
      sql`NOT EXISTS (SELECT FROM ${sql.table(table)} AS r WHERE r.user_id = indexed.user_id AND r.doc = indexed.doc)`,
  );
  await sql`DELETE FROM keyword_documents AS indexed WHERE indexed.doc = ANY(${docs}::bigint[])
    AND ${sql.join(unrecorded, sql` AND `)}`.execute(db);
}
