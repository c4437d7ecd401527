import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from '../../domain/shared/page.ts';
import type { NewTrashEntry, TrashCounts, TrashEntry, TrashKind } from '../../domain/trash/trash.ts';
import type { TrashListQuery, TrashReader, TrashWriter } from '../../domain/trash/trash-store.ts';
import { nextRev } from './change-counter.ts';
import type { TrashEntriesTable } from './schema.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';

const insertEntry = new UserQuery<Omit<TrashEntriesTable, 'user_id' | 'erased_at'>, never>((tables, row) =>
  tables.insertInto('trash_entries', {
    id: row.id,
    kind: row.kind,
    record_id: row.record_id,
    title: row.title,
    counts: row.counts,
    payload: row.payload,
    rev: row.rev,
    deleted_at: row.deleted_at,
    erased_at: null,
  }),
);

const byRecord = new UserQuery<{ kind: string; recordId: string }, TrashEntriesTable>(
  (tables, { kind, recordId }) =>
    tables
      .selectFrom('trash_entries')
      .selectAll()
      .where('kind', '=', kind)
      .where('record_id', '=', recordId)
      .where('erased_at', 'is', null),
);

function toEntry(row: TrashEntriesTable): TrashEntry {
  return {
    id: row.id,
    kind: row.kind as TrashKind,
    recordId: row.record_id,
    title: row.title,
    counts: JSON.parse(row.counts) as TrashCounts,
    payload: JSON.parse(row.payload) as unknown,
    rev: row.rev,
    deletedAt: row.deleted_at,
    erasedAt: row.erased_at,
  };
}

export class SqlTrashReader implements TrashReader {
  protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }

  async find(id: string): Promise<TrashEntry | undefined> {
    const row = await this.db.tables
      .selectFrom('trash_entries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toEntry(row);
  }

  async list({ kind, limit, offset }: TrashListQuery): Promise<Page<TrashEntry>> {
    let rows = this.db.tables.selectFrom('trash_entries').where('erased_at', 'is', null);
    if (kind !== undefined) rows = rows.where('kind', '=', kind);
    const { count } = await rows.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
    const page = await rows
      .selectAll()
      .orderBy('deleted_at', 'desc')
      .orderBy('rev', 'desc')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    return { items: page.map(toEntry), limit, offset, count: Number(count) };
  }

  async due(deletedUntil: number, limit: number): Promise<string[]> {
    const rows = await this.db.tables
      .selectFrom('trash_entries')
      .select('id')
      .where((entry) =>
        entry.or([entry('deleted_at', '<=', deletedUntil), entry('erased_at', 'is not', null)]),
      )
      .orderBy('deleted_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }
}

export class SqlTrashWriter extends SqlTrashReader implements TrashWriter {
  async insert({ kind, recordId, title, counts, payload }: NewTrashEntry, at: number): Promise<void> {
    const rev = await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.all(insertEntry, {
      id: randomUUID(),
      kind,
      record_id: recordId,
      title,
      counts: JSON.stringify(counts),
      payload: JSON.stringify(payload ?? {}),
      rev,
      deleted_at: at,
    });
  }

  async findByRecord(kind: TrashKind, recordId: string): Promise<TrashEntry | undefined> {
    const row = await this.db.first(byRecord, { kind, recordId });
    return row && toEntry(row);
  }

  async beginErasing(id: string, at: number): Promise<void> {
    await this.db.tables.updateTable('trash_entries').set({ erased_at: at }).where('id', '=', id).execute();
  }

  async blank(id: string): Promise<void> {
    const blank = { record_id: id, title: '', counts: '{}', payload: '{}' };
    await this.db.tables.updateTable('trash_entries').set(blank).where('id', '=', id).execute();
  }

  async remove(id: string): Promise<void> {
    await this.db.tables.deleteFrom('trash_entries').where('id', '=', id).execute();
  }
}
