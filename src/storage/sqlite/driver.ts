import { statSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import type { CellType, Column } from '../sql/transfer/table-shapes.ts';
import { SqliteKeywordReader, SqliteKeywordWriter } from './keyword-index.ts';
import type { OpenStore, SqliteOptions } from './open-store.ts';
import { SegmentMerger } from './segment-merger.ts';
import { Statistics } from './statistics.ts';
import { withSnapshot } from './store-snapshot.ts';
import { TextScrubber } from './text-scrubber.ts';

async function eraseDocs(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  for (const doc of docs) await sql`DELETE FROM keyword_index WHERE rowid = ${doc}`.execute(db);
}

function storeBytes(path: string): number {
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

/** SQLite: one connection that writes, in grouped commits, and one that reads committed rows. */
export function sqliteDriver(store: OpenStore, { path, exclusive }: SqliteOptions): SqlDriver {
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
