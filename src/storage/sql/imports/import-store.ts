import { sql } from 'kysely';
import type { Import, ImportCounts, ImportReader, ImportWriter } from '../../../domain/imports/import.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { related } from '../core/joins.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, RecordColumns } from '../core/record-columns.ts';
import { UserRecords } from '../core/user-database.ts';
import { SqlMemoryReader } from '../memories/memory-reader.ts';

const columns = {
  id: 'imports.id',
  source: 'imports.source',
  format: 'imports.format',
  createdAt: 'imports.created_at',
  updatedAt: 'imports.updated_at',
  undoneAt: 'imports.undone_at',
  created: 'imports.created',
  unchanged: 'imports.unchanged',
  inTrash: 'imports.in_trash',
  refused: 'imports.refused',
} as const satisfies Columns<Import>;
const importRecord = new RecordColumns<Import, typeof columns>(columns);

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
  async insert(made: Import): Promise<void> {
    await this.db.tables.insertInto('imports', importRecord.toTableRow(made)).execute();
  }

  async count(id: string, counts: ImportCounts, at: number): Promise<void> {
    await this.db.tables
      .updateTable('imports')
      .set({
        created: sql<number>`created + ${counts.created}`,
        unchanged: sql<number>`unchanged + ${counts.unchanged}`,
        in_trash: sql<number>`in_trash + ${counts.inTrash}`,
        refused: sql<number>`refused + ${counts.refused}`,
        updated_at: at,
      })
      .where('id', '=', id)
      .execute();
  }

  async setUndone(id: string, at: number | null): Promise<void> {
    await this.db.tables.updateTable('imports').set({ undone_at: at }).where('id', '=', id).execute();
  }
}
