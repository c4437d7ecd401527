import type SqliteConnection from 'better-sqlite3';
import { userOfKey } from '../sql/search-index/keyword-index.ts';
import { hashKey, type IndexedDocuments, type StoreSnapshot } from '../sql/upkeep/indexed-documents.ts';
import { kyselyOver } from './dialect.ts';
import { damageOf } from './file/open-failure.ts';
import { connect } from './open-store.ts';

/** Runs `body` on its own connection, which sees the current state of the store throughout. */
export async function withSnapshot<T>(
  path: string,
  body: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
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
