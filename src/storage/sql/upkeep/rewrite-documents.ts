import { sql } from 'kysely';
import type { TextIndexer } from '../../../domain/shared/text-indexer.ts';
import type { DocumentRef } from '../../upkeep.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { dropSegments } from '../search-index/segment-rows.ts';
import type { VectorWriter } from '../vectors/vector-writer.ts';

/** Dependencies of writes to one user's index, in a transaction that has the user's lock. */
export interface IndexWriter {
  readonly db: UserDatabase;
  readonly keywords: KeywordWriter;
  readonly indexer: TextIndexer;
  /** Absent: vectors stay, since the text is unchanged. */
  readonly vectors?: VectorWriter;
}

/**
 * Rewrites the documents of these records with all data computed from their text, and adjusts the
 * user's counters by the difference. Docs without a record are skipped. At most `documentsAtOnce`.
 */
export async function rewriteDocuments(writer: IndexWriter, refs: readonly DocumentRef[]): Promise<void> {
  const docsOf = (kind: DocumentRef['kind']) => refs.filter((ref) => ref.kind === kind).map(({ doc }) => doc);
  const terms = await rewriteVersions(writer, docsOf('memory'));
  await rewriteConversations(writer, docsOf('conversation'));
  await rewriteFacts(writer, docsOf('fact'));
  if (terms !== 0) await raiseCounters(writer.db, { documents: 0, terms });
}

/** Moves the user's counters. */
export async function raiseCounters(
  db: UserDatabase,
  by: { readonly documents: number; readonly terms: number },
): Promise<void> {
  await db.tables
    .updateTable('user_counters')
    .set({
      documents: sql<number>`documents + ${by.documents}`,
      document_terms: sql<number>`document_terms + ${by.terms}`,
    })
    .execute();
}

/** Makes every process read the user's columns again. Not `rev`: records did not change, so neither do their ETags. */
export async function nextEpoch(db: UserDatabase): Promise<void> {
  await dropSegments(db);
  await db.tables.updateTable('user_counters').set({ epoch: sql<number>`epoch + 1` }).execute();
}

/** @returns by how much the terms of live memories grew */
async function rewriteVersions(
  { db, keywords, indexer, vectors }: IndexWriter,
  docs: readonly number[],
): Promise<number> {
  if (docs.length === 0) return 0;
  const rows = await versionsWithIdentity(db.tables)
    .select(['memory_versions.term_count', 'memory_versions.closed_at', 'memory_versions.trashed'])
    .where('memory_versions.doc', 'in', docs)
    .execute();
  let grown = 0;
  for (const row of rows) {
    const { terms, traits, speaker, metadataKeys } = indexer.memory(toMemory(row));
    await keywords.erase([row.doc]);
    await keywords.add('memory', row.doc, terms);
    await db.tables
      .updateTable('memory_versions')
      .set({ term_count: terms.length, traits, speaker, metadata_keys: metadataKeys })
      .where('doc', '=', row.doc)
      .execute();
    await vectors?.rewrite(row.doc, indexer.vectors(row.content));
    if (row.closed_at === null && row.trashed === 0) grown += terms.length - row.term_count;
  }
  return grown;
}

async function rewriteConversations(
  { db, keywords, indexer }: IndexWriter,
  docs: readonly number[],
): Promise<void> {
  if (docs.length === 0) return;
  const rows = await db.tables
    .selectFrom('conversations')
    .select(['id', 'title', 'summary', 'doc'])
    .where('doc', 'in', docs)
    .execute();
  for (const { id, title, summary, doc } of rows) {
    const { terms } = indexer.conversation(title, summary);
    await keywords.erase([doc]);
    await keywords.add('conversation', doc, terms);
    await db.tables
      .updateTable('conversations')
      .set({ term_count: terms.length })
      .where('id', '=', id)
      .execute();
  }
}

async function rewriteFacts({ db, keywords, indexer }: IndexWriter, docs: readonly number[]): Promise<void> {
  if (docs.length === 0) return;
  const rows = await db.tables
    .selectFrom('facts')
    .select(['subject', 'predicate', 'object', 'doc'])
    .where('doc', 'in', docs)
    .execute();
  for (const { doc, ...words } of rows) {
    const { terms } = indexer.fact(words);
    await keywords.erase([doc]);
    await keywords.add('fact', doc, terms);
    await db.tables.updateTable('facts').set({ term_count: terms.length }).where('doc', '=', doc).execute();
  }
}
