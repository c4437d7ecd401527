import { type Kysely, sql } from 'kysely';
import type { DocumentIndexer } from '../../../domain/shared/text-indexer.ts';
import type { CheckReport, OnProgress, UserFaults } from '../../upkeep.ts';
import type { Database } from '../core/schema.ts';
import { documentTables } from '../core/user-data-tables.ts';
import { UserDatabase } from '../core/user-database.ts';
import { isActiveName } from '../transfer/load-names.ts';
import type { ReadColumns } from '../transfer/table-shapes.ts';
import { UserCheck } from './check-user.ts';
import { IndexedDocuments, type StoreSnapshot } from './indexed-documents.ts';
import { findStrayRows, findUnfinishedRemovals, findUnfitRows, noUnfitRows } from './wrong-rows.ts';

interface StoreCheckDeps {
  readonly snapshot: StoreSnapshot;
  readonly readColumns: ReadColumns;
  readonly indexer: DocumentIndexer;
  readonly isDamagedSegment: (data: Buffer) => boolean;
  readonly onProgress: OnProgress;
}

const recordsPerReport = 500;

/** Records that have a document each in the keyword index. */
export async function countRecords(db: Kysely<Database>): Promise<number> {
  let sum = 0;
  for (const table of documentTables) {
    const query = db.selectFrom(table as 'conversations').select(sql<number>`count(*)`.as('count'));
    sum += Number((await query.executeTakeFirstOrThrow()).count);
  }
  return sum;
}

async function readIndexed(snapshot: StoreSnapshot, indexDamage: string[]): Promise<IndexedDocuments> {
  const indexed = new IndexedDocuments();
  if (indexDamage.length > 0) return indexed;
  await snapshot.readDocuments(indexed);
  const unlisted = indexed.unlisted();
  if (unlisted.length > 0) indexDamage.push(`${unlisted.length} documents have words but are not listed`);
  return indexed;
}

/** Compares the whole keyword index, and all else that is computed from records, with the records. */
export async function checkStore({
  snapshot,
  readColumns,
  indexer,
  isDamagedSegment,
  onProgress,
}: StoreCheckDeps): Promise<CheckReport> {
  const { db } = snapshot;
  const damage = await snapshot.damage();
  const indexDamage = [...damage.index];
  const indexed = await readIndexed(snapshot, indexDamage);
  const total = await countRecords(db);
  const done = { memory: 0, conversation: 0, fact: 0 };
  const faults: UserFaults[] = [];
  const unfinishedRemovals = await findUnfinishedRemovals(db);
  const users = await db.selectFrom('users').selectAll().orderBy('id').execute();
  for (const user of users) {
    const { id, public_id, name } = user;
    const isWhole = isActiveName(name) && !unfinishedRemovals.includes(name);
    const found = await new UserCheck({
      user: { id, publicId: public_id, name },
      db: new UserDatabase(db, id),
      indexed,
      indexer,
      isDamagedSegment,
      unfit: isWhole ? await findUnfitRows(db, readColumns, user) : noUnfitRows,
      onRecord: (kind) => {
        done[kind]++;
        const sum = done.memory + done.conversation + done.fact;
        if (sum % recordsPerReport === 0) onProgress(sum, total);
      },
    }).run();
    // Counts of a user who is being loaded are right in the end.
    if (found && isActiveName(name)) faults.push(found);
  }
  onProgress(total, total);
  return {
    users: users.length,
    versions: done.memory,
    conversations: done.conversation,
    facts: done.fact,
    damage: damage.database,
    indexDamage,
    orphans: indexed.orphans(),
    strays: await findStrayRows(db),
    unfinishedRemovals,
    faults,
  };
}
