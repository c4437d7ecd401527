import { statSync } from 'node:fs';
import type SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import type { Encoders } from '../../search-index/ports.ts';
import type { StorageEngine } from '../engine.ts';
import type { Database } from '../sql/core/schema.ts';
import { userOfKey } from '../sql/search-index/keyword-index.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import { createSqlEngine } from '../sql/sql-engine.ts';
import type { CellType, Column } from '../sql/transfer/table-shapes.ts';
import { hashKey, type IndexedDocuments, type StoreSnapshot } from '../sql/upkeep/indexed-documents.ts';
import { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { kyselyOver } from './dialect.ts';
import { damageOf } from './file/open-failure.ts';
import { realStorePath } from './file/store-path.ts';
import { SqliteKeywordReader, SqliteKeywordWriter } from './keyword-index.ts';
import { connect, type OpenStore, openStore, type SqliteOptions } from './open-store.ts';
import { SegmentMerger } from './segment-merger.ts';
import { Statistics } from './statistics.ts';
import { TextScrubber } from './text-scrubber.ts';

interface SqliteEngineOptions extends SqliteOptions {
  readonly indexer: DocumentIndexer;
  /** Absent if no segments are written. */
  readonly isDamagedSegment?: (data: Buffer) => boolean;
  /** Absent if no vectors are made. */
  readonly encoders?: Encoders;
  /** Absent if there are none. */
  readonly steps?: readonly StepKey[];
  readonly failures?: FailureLog;
}

/**
 * Opens the SQLite store.
 * @throws StoreRefusedError, StoreVersionError
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<StorageEngine> {
  const {
    indexer,
    isDamagedSegment = () => false,
    encoders,
    steps = [],
    failures = new FailureLog(),
  } = options;
  const spaces = new SpaceRegistry(encoders);
  const own = { ...options, path: realStorePath(options.path) };
  const store = await openStore(own, { spaces, failures });
  return createSqlEngine(sqliteDriver(store, own), { indexer, isDamagedSegment, spaces, steps, failures });
}

async function eraseDocs(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  for (const doc of docs) await sql`DELETE FROM keyword_index WHERE rowid = ${doc}`.execute(db);
}

function storeBytes(path: string): number {
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

/** SQLite: one connection that writes, in grouped commits, and one that reads committed rows. */
function sqliteDriver(store: OpenStore, { path, exclusive }: SqliteOptions): SqlDriver {
  const { write: sqlite, read, readDb, turn, documents, queue } = store;
  const scrubber = new TextScrubber({ path, file: store.raw, sqlite, queue, turn });
  const counters = sqlite.prepare<[number]>('SELECT 1 FROM user_counters WHERE user_id = ?');
  return {
    name: 'sqlite',
    isReadOnly: false,
    replayLag: async () => 0,
    read: readDb,
    isShared: false,
    isDistributed: false,
    isOnly: exclusive,
    maintenance: {
      mergeSegments: new SegmentMerger(sqlite, queue),
      updateStatistics: new Statistics({ write: sqlite, read, turn, queue }),
    },
    readColumns,
    write: (body) => queue.run(body),
    writeOf: (userId, body) => {
      const keywords = new SqliteKeywordWriter(userId, documents);
      return queue.run((db) => body(db, keywords, () => counters.get(userId) !== undefined));
    },
    indexOf: (userId) => {
      const keywords = new SqliteKeywordReader(read, turn, userId);
      return {
        postings: keywords.postings.bind(keywords),
        docsContaining: keywords.docsContaining.bind(keywords),
      };
    },
    snapshot: (body) => withSnapshot(path, body),
    eraseDocuments: (db, _userId, docs) => eraseDocs(db, docs),
    eraseRows: async (db, { table, userId, limit }) =>
      void (await sql`DELETE FROM ${sql.table(table)} WHERE user_id = ${userId} LIMIT ${limit}`.execute(db)),
    eraseOrphans: eraseDocs,
    resetIndex: async (db) =>
      void (await sql`INSERT INTO keyword_index (keyword_index) VALUES ('delete-all')`.execute(db)),
    scrub: () => scrubber.scrub(),
    scrubWholly: () => scrubber.scrub(),
    queueDepth: () => queue.depth,
    ping: store.ping,
    sizeBytes: async () => storeBytes(path),
    close: async () => {
      await Promise.all([scrubber.idle(), queue.idle()]);
      store.close();
    },
  };
}

const types: Readonly<Record<string, CellType>> = {
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'bytes',
};

/** Columns of a table as the file states them. */
async function readColumns(db: Kysely<Database>, table: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string; required: number; keyPlace: number }>`
    SELECT name, type, "notnull" AS required, pk AS "keyPlace" FROM pragma_table_info(${table}) ORDER BY cid`.execute(
    db,
  );
  return rows.map(({ name, type, required, keyPlace }) => ({
    name,
    type: types[type],
    nullable: required === 0 && keyPlace === 0,
    keyPlace,
  }));
}

/** Runs `body` on its own connection, which sees the current state of the store throughout. */
async function withSnapshot<T>(path: string, body: (snapshot: StoreSnapshot) => Promise<T>): Promise<T> {
  const sqlite = connect(path);
  try {
    sqlite.exec(
      `CREATE VIRTUAL TABLE temp.indexed_keys USING fts5vocab('main', 'keyword_index', 'instance')`,
    );
    sqlite.pragma('query_only = ON');
    sqlite.exec('BEGIN');
    return await body({
      db: kyselyOver(sqlite),
      damage: async () => damageOf(sqlite, 'integrity'),
      readDocuments: async (indexed) => readDocuments(sqlite, indexed),
    });
  } finally {
    sqlite.close();
  }
}

function readDocuments(sqlite: SqliteConnection.Database, indexed: IndexedDocuments): void {
  const ids = sqlite.prepare<[], number>('SELECT id FROM keyword_index_docsize').pluck();
  for (const id of ids.iterate()) indexed.addDocument(id);
  const keys = sqlite.prepare<[], [string, number]>('SELECT term, doc FROM temp.indexed_keys').raw();
  let last = '';
  let hash = hashKey(last);
  let userId = 0;
  for (const [key, doc] of keys.iterate()) {
    if (key !== last) {
      last = key;
      hash = hashKey(key);
      userId = userOfKey(key);
    }
    indexed.addKey(userId, doc, hash);
  }
}
