import { sql } from 'kysely';
import type {
  Import,
  ImportCounts,
  ImportReader,
  ImportWriter,
  RecordCounts,
  RecordEntry,
} from '../../../domain/imports/import.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import { type DigestKind, type ExternalKind, idInExternalId } from '../../../domain/shared/external-id.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { visibleArtifacts } from '../artifacts/artifact-store.ts';
import { join, related } from '../core/joins.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, RecordColumns } from '../core/record-columns.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { visibleFacts } from '../facts/visible-facts.ts';
import { type MemoryRow, toMemory } from '../memories/memory-columns.ts';
import { SqlMemoryReader, versionsWithIdentity } from '../memories/memory-reader.ts';

const columns = {
  id: 'imports.id',
  source: 'imports.source',
  format: 'imports.format',
  createdAt: 'imports.created_at',
  updatedAt: 'imports.updated_at',
  undoneAt: 'imports.undone_at',
  created: 'imports.created',
  unchanged: 'imports.unchanged',
  updated: 'imports.updated',
  keptEdits: 'imports.kept_edits',
  conversations: 'imports.conversations',
  facts: 'imports.facts',
  artifacts: 'imports.artifacts',
  inTrash: 'imports.in_trash',
  refused: 'imports.refused',
} as const satisfies Columns<Import>;
const importRecord = new RecordColumns<Import, typeof columns>(columns);

const tableOf = { conversation: 'conversations', fact: 'facts', artifact: 'artifacts' } as const;
const recordKinds = Object.entries(tableOf);

const idByExternalId = (table: (typeof tableOf)[ExternalKind]) =>
  new UserQuery<{ externalId: string }, { id: string }>((tables, { externalId }) =>
    tables.selectFrom(table).select('id').where('external_id', '=', externalId),
  );
const idsByExternalId = {
  conversation: idByExternalId('conversations'),
  fact: idByExternalId('facts'),
  artifact: idByExternalId('artifacts'),
};

const lastImported = new UserQuery<{ seq: number }, MemoryRow>((tables, { seq }) =>
  versionsWithIdentity(tables)
    .where('memory_versions.memory_seq', '=', seq)
    .where((eb) =>
      eb.or([
        eb('memory_versions.import_id', 'is not', null),
        eb(
          'memory_versions.doc',
          '=',
          tables
            .selectFrom('memory_versions')
            .where('memory_seq', '=', seq)
            .select(sql<number>`min(doc)`.as('first')),
        ),
      ]),
    )
    .orderBy('memory_versions.doc', 'desc')
    .limit(1),
);

const lastOfChain = new UserQuery<{ chainId: string }, MemoryRow>((tables, { chainId }) =>
  versionsWithIdentity(tables)
    .where('memories.chain_id', '=', chainId)
    .where('memories.import_id', 'is not', null)
    .where(tables.liveMemory())
    .whereRef('memory_versions.doc', '=', 'memories.doc')
    .orderBy('memories.chain_version', 'desc')
    .limit(1),
);

/** Versions that are read of one import and memory. */
const versionsMax = 20;

const newestFirst: readonly SortColumn[] = [
  { column: 'imports.created_at', order: 'desc', part: 'integer' },
  { column: 'imports.id', order: 'asc', part: 'text' },
];

export class SqlImportReader extends UserRecords implements ImportReader {
  async find(id: string): Promise<Import | undefined> {
    const row = await this.db.tables
      .selectFrom('imports')
      .select(importRecord.selection)
      .where('imports.id', '=', id)
      .executeTakeFirst();
    return row && importRecord.decode(row);
  }

  async list(request: PageRequest): Promise<Page<Import>> {
    const rows = this.db.tables.selectFrom('imports');
    const selected = rows.select(importRecord.selection).select(['imports.created_at', 'imports.id']);
    const page = await pageOf(rows, selected, { by: newestFirst, request });
    return { ...page, items: page.items.map((row) => importRecord.decode(row)) };
  }

  async memoriesOf(id: string, limit: number): Promise<Memory[]> {
    const rows = await this.db.tables
      .selectFrom('memories')
      .select('memories.doc')
      .where('memories.import_id', '=', id)
      .where(this.db.tables.liveMemory())
      .orderBy('memories.seq')
      .limit(limit)
      .execute();
    const docs = rows.map(({ doc }) => doc);
    return docs.length === 0 ? [] : new SqlMemoryReader(this.db).findByDocs(docs);
  }

  async changedBy(id: string, after: number, limit: number): Promise<Memory[]> {
    const rows = await this.db.tables
      .selectFrom('memory_versions')
      .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
      .where('memory_versions.import_id', '=', id)
      .where('memory_versions.memory_seq', '>', after)
      .where((eb) => eb.or([eb('memories.import_id', 'is', null), eb('memories.import_id', '!=', id)]))
      .where(this.db.tables.liveMemory())
      .select(['memories.doc', 'memory_versions.memory_seq'])
      .distinct()
      .orderBy('memory_versions.memory_seq')
      .limit(limit)
      .execute();
    return new SqlMemoryReader(this.db).findByDocs(rows.map(({ doc }) => doc));
  }

  async lastVersionOf(seq: number): Promise<Memory | undefined> {
    const row = await this.db.first(lastImported, { seq });
    return row && toMemory(row);
  }

  async lastOfChain(chainId: string): Promise<Memory | undefined> {
    const row = await this.db.first(lastOfChain, { chainId });
    return row && toMemory(row);
  }

  async versionsOf(id: string, seq: number) {
    const ofMemory = this.db.tables.selectFrom('memory_versions').where('memory_seq', '=', seq);
    const ofImport = ofMemory.where('import_id', '=', id);
    const own = await ofImport.select('doc').orderBy('doc', 'desc').limit(versionsMax).execute();
    const first = ofImport.select(sql<number>`min(doc)`.as('doc'));
    const earlier = ofMemory.where('doc', '<', first).select('doc').orderBy('doc', 'desc').limit(1);
    const before = await earlier.executeTakeFirst();
    const docs = [...own, ...(before ? [before] : [])].map(({ doc }) => doc);
    const found = await new SqlMemoryReader(this.db).findByDocs(docs);
    return {
      own: found.filter(({ doc }) => doc !== before?.doc),
      before: found.find(({ doc }) => doc === before?.doc),
    };
  }

  async recordsOf(id: string, kind: keyof RecordCounts, limit: number): Promise<string[]> {
    const { tables } = this.db;
    const rows = {
      facts: () =>
        visibleFacts(tables)
          .where('facts.import_id', '=', id)
          .select('facts.id')
          .orderBy('facts.id')
          .limit(limit)
          .execute(),
      artifacts: () =>
        visibleArtifacts(tables)
          .where('artifacts.import_id', '=', id)
          .select('artifacts.id')
          .orderBy('artifacts.id')
          .limit(limit)
          .execute(),
      conversations: () =>
        tables
          .selectFrom('conversations')
          .where('trashed_at', 'is', null)
          .where('memory_count', '=', 0)
          .where('import_id', '=', id)
          .select('id')
          .orderBy('id')
          .limit(limit)
          .execute(),
    };
    return (await rows[kind]()).map((row) => row.id);
  }

  async recordEntriesOf(id: string, since: number, limit: number): Promise<RecordEntry[]> {
    return this.db.tables
      .selectFrom('trash_entries')
      .select(['trash_entries.id', 'trash_entries.kind'])
      .where('trash_entries.erased_at', 'is', null)
      .where('trash_entries.deleted_at', '>=', since)
      .where((eb) =>
        eb.or(
          recordKinds.map(([kind, table]) =>
            eb.and([
              eb('trash_entries.kind', '=', kind),
              eb.exists(
                related(eb, table, 'trash_entries.record_id')
                  .select(sql<number>`1`.as('one'))
                  .where(sql.ref(`${table}.import_id`), '=', id),
              ),
            ]),
          ),
        ),
      )
      .orderBy('trash_entries.id')
      .limit(limit)
      .execute();
  }

  async entriesOf(id: string, since: number, limit: number): Promise<string[]> {
    const rows = await this.db.tables
      .selectFrom('trash_entries')
      .select('trash_entries.id')
      .where('trash_entries.kind', '=', 'memory')
      .where('trash_entries.erased_at', 'is', null)
      .where('trash_entries.deleted_at', '>=', since)
      .where((eb) =>
        eb.exists(
          related(eb, 'memories', 'trash_entries.record_id')
            .select('memories.id')
            .where('memories.import_id', '=', id),
        ),
      )
      .orderBy('trash_entries.deleted_at')
      .limit(limit)
      .execute();
    return rows.map((row) => row.id);
  }
}

export class SqlImportWriter extends SqlImportReader implements ImportWriter {
  async idOf(kind: ExternalKind, externalId: string): Promise<string | undefined> {
    const found = await this.db.first(idsByExternalId[kind], { externalId });
    const id = idInExternalId(externalId);
    if (found || id === undefined) return found?.id;
    const own = this.db.tables.selectFrom(tableOf[kind]).select('id').where('id', '=', id);
    return (await own.executeTakeFirst())?.id;
  }

  async digestOf(kind: DigestKind, id: string): Promise<string | undefined> {
    const row = await this.db.tables
      .selectFrom(tableOf[kind])
      .select('import_digest as digest')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.digest ?? undefined;
  }

  async setDigest(kind: DigestKind, id: string, digest: string): Promise<void> {
    await this.db.tables
      .updateTable(tableOf[kind])
      .set({ import_digest: digest })
      .where('id', '=', id)
      .execute();
  }

  async insert(made: Import): Promise<void> {
    await this.db.tables.insertInto('imports', importRecord.toTableRow(made)).execute();
  }

  async count(id: string, counts: ImportCounts, at: number): Promise<void> {
    await this.db.tables
      .updateTable('imports')
      .set({
        created: sql<number>`created + ${counts.created}`,
        unchanged: sql<number>`unchanged + ${counts.unchanged}`,
        updated: sql<number>`updated + ${counts.updated}`,
        kept_edits: sql<number>`kept_edits + ${counts.keptEdits}`,
        in_trash: sql<number>`in_trash + ${counts.inTrash}`,
        refused: sql<number>`refused + ${counts.refused}`,
        updated_at: at,
      })
      .where('id', '=', id)
      .execute();
  }

  async countRecord(id: string, kind: keyof RecordCounts, at: number): Promise<void> {
    await this.db.tables
      .updateTable('imports')
      .set({ [kind]: sql<number>`${sql.ref(kind)} + 1`, updated_at: at })
      .where('id', '=', id)
      .execute();
  }

  async setUndone(id: string, at: number | null): Promise<void> {
    await this.db.tables.updateTable('imports').set({ undone_at: at }).where('id', '=', id).execute();
  }
}
