import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from '../../../domain/shared/page.ts';
import type {
  ConversationMove,
  MoveStep,
  NewTrashEntry,
  TrashEntry,
  TrashKind,
  TrashListQuery,
  TrashReader,
  TrashWriter,
} from '../../../domain/trash/trash.ts';
import { nextRev } from '../core/change-counter.ts';
import { related } from '../core/joins.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, insertion, RecordColumns, type RowOf } from '../core/record-columns.ts';
import type { TrashEntriesTable } from '../core/schema.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { nextEpoch } from '../upkeep/rewrite-documents.ts';

/**
 * Stored values of `moving`. Transactions see memories that
 * are being restored, so trashing is above their `View`.
 */
const moveSteps = { completing: 1, restoring: 2, trashing: 3 } as const satisfies Record<MoveStep, number>;

const columns = {
  id: 'trash_entries.id',
  kind: 'trash_entries.kind',
  recordId: 'trash_entries.record_id',
  title: 'trash_entries.title',
  counts: { json: 'trash_entries.counts' },
  payload: { json: 'trash_entries.payload' },
  rev: 'trash_entries.rev',
  deletedAt: 'trash_entries.deleted_at',
  erasedAt: 'trash_entries.erased_at',
} as const satisfies Columns<TrashEntry>;
const entryRecord = new RecordColumns<TrashEntry, typeof columns>(columns);
type EntryRow = RowOf<typeof columns>;
const toEntry = (row: EntryRow) => entryRecord.decode(row);

const insertEntry = insertion('trash_entries', [
  ...entryRecord.namesIn('trash_entries'),
  ...['moving', 'moved_to', 'hidden_rows'],
]);

const byRecord = new UserQuery<{ kind: string; recordId: string }, EntryRow>((tables, { kind, recordId }) =>
  tables
    .selectFrom('trash_entries')
    .select(entryRecord.selection)
    .where('kind', '=', kind)
    .where('record_id', '=', recordId)
    .where('erased_at', 'is', null),
);

const movingNow = new UserQuery<Record<never, never>, TrashEntriesTable>((tables) =>
  tables.selectFrom('trash_entries').selectAll().where('moving', 'is not', null).limit(1),
);

const lastDeletedFirst: readonly SortColumn[] = [
  { column: 'deleted_at', order: 'desc', part: 'integer' },
  { column: 'rev', order: 'desc', part: 'integer' },
  { column: 'id', order: 'asc', part: 'text' },
];

function toMove(row: TrashEntriesTable): ConversationMove {
  const step = (Object.keys(moveSteps) as MoveStep[]).find((name) => moveSteps[name] === row.moving);
  if (!step) throw new Error(`No step of a move is stored as ${row.moving}.`);
  const { id, record_id, rev, deleted_at, moved_to } = row;
  return { entryId: id, conversationId: record_id, rev, deletedAt: deleted_at, step, movedTo: moved_to };
}

export class SqlTrashReader extends UserRecords implements TrashReader {
  async find(id: string): Promise<TrashEntry | undefined> {
    const row = await this.db.tables
      .selectFrom('trash_entries')
      .select(entryRecord.selection)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toEntry(row);
  }

  async findMove(): Promise<ConversationMove | undefined> {
    const row = await this.db.first(movingNow, {});
    return row && toMove(row);
  }

  async list(request: TrashListQuery): Promise<Page<TrashEntry>> {
    let rows = this.db.tables.selectFrom('trash_entries').where('erased_at', 'is', null);
    if (request.kind !== undefined) rows = rows.where('kind', '=', request.kind);
    if (request.recordId !== undefined) rows = rows.where('record_id', '=', request.recordId);
    const page = await pageOf(rows, rows.select([...entryRecord.selection, 'deleted_at']), {
      by: lastDeletedFirst,
      request,
    });
    return { ...page, items: page.items.map(toEntry) };
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
  async insert({ kind, recordId, title, counts, payload = {} }: NewTrashEntry, at: number): Promise<string> {
    const rev = await nextRev(this.db, { documents: 0, terms: 0 });
    const entry = {
      id: randomUUID(),
      kind,
      recordId,
      title,
      counts,
      payload,
      rev,
      deletedAt: at,
      erasedAt: null,
    };
    await this.db.all(insertEntry, [...entryRecord.valuesIn('trash_entries', entry), null, 0, 0]);
    return entry.id;
  }

  async startMove(id: string, step: MoveStep, hiddenMemories?: number): Promise<void> {
    await this.db.tables
      .updateTable('trash_entries')
      .set((eb) => ({
        moving: moveSteps[step],
        moved_to: related(eb, 'conversations', 'trash_entries.record_id').select('since_rev'),
        ...(hiddenMemories !== undefined && { hidden_rows: hiddenMemories }),
      }))
      .where('id', '=', id)
      .execute();
    // Caches with visible memories do not know that these are hidden now.
    if (hiddenMemories !== undefined) await nextEpoch(this.db);
  }

  async advanceMove(id: string, movedTo: number, hiddenMemories: number): Promise<void> {
    await this.db.tables
      .updateTable('trash_entries')
      .set({ moved_to: movedTo, hidden_rows: sql<number>`hidden_rows + ${hiddenMemories}` })
      .where('id', '=', id)
      .execute();
  }

  async endMove(id: string): Promise<void> {
    await this.db.tables
      .updateTable('trash_entries')
      .set({ moving: null, hidden_rows: 0 })
      .where('id', '=', id)
      .execute();
    await nextEpoch(this.db);
  }

  async findByRecord(kind: TrashKind, recordId: string): Promise<TrashEntry | undefined> {
    const row = await this.db.first(byRecord, { kind, recordId });
    return row && toEntry(row);
  }

  async beginErasing(id: string, at: number): Promise<void> {
    const entry = await this.find(id);
    const changed = entry ? [{ kind: entry.kind, action: 'erased', id: entry.recordId } as const] : [];
    await nextRev(this.db, { documents: 0, terms: 0 }, ...changed);
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
