import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import { documentTables } from '../sql/core/user-data-tables.ts';
import { hashKey, type IndexedDocuments, type StoreSnapshot } from '../sql/upkeep/indexed-documents.ts';

const documentsPerRead = 1000;

interface DocumentRow {
  readonly user_id: number;
  readonly doc: number;
  readonly keys: readonly string[];
}

/** Runs `body` in a transaction that sees the current state of the store throughout. */
export async function withSnapshot<T>(
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
export async function eraseOrphans(db: Kysely<Database>, docs: readonly number[]): Promise<void> {
  const unrecorded = documentTables.map(
    (table) =>
      sql`NOT EXISTS (SELECT FROM ${sql.table(table)} AS r WHERE r.user_id = indexed.user_id AND r.doc = indexed.doc)`,
  );
  await sql`DELETE FROM keyword_documents AS indexed WHERE indexed.doc = ANY(${docs}::bigint[])
    AND ${sql.join(unrecorded, sql` AND `)}`.execute(db);
}
