import type { MergedBy } from '../../../domain/entities/entity.ts';
import type { EntityNaming, EntityRow, EntityWriter } from '../../../domain/entities/entity-store.ts';
import type { EntityType } from '../../../domain/entities/entity-type.ts';
import { nextRev } from '../core/change-counter.ts';
import type { EntitiesTable } from '../core/step-tables.ts';
import { SqlEntityReader } from './entity-reader.ts';

type Columns = Partial<Omit<EntitiesTable, 'user_id' | 'id'>>;

const toRow = (row: EntitiesTable): EntityRow => ({
  id: row.id,
  name: row.name,
  type: row.type as EntityType,
  foundType: row.found_type as EntityType,
  canonicalId: row.canonical_id,
  mergedBy: row.merged_by,
  trashedAt: row.trashed_at,
});

export class SqlEntityWriter extends SqlEntityReader implements EntityWriter {
  async findRow(id: string): Promise<EntityRow | undefined> {
    const row = await this.db.tables
      .selectFrom('entities')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toRow(row);
  }

  async foundName(id: string): Promise<string | undefined> {
    const first = await this.db.tables
      .selectFrom('entity_mentions')
      .select('name')
      .where('entity_id', '=', id)
      .orderBy('doc')
      .limit(1)
      .executeTakeFirst();
    return first?.name;
  }

  async membersOf(id: string): Promise<EntityRow[]> {
    const rows = await this.db.tables
      .selectFrom('entities')
      .selectAll()
      .where('canonical_id', '=', id)
      .execute();
    return rows.map(toRow);
  }

  rename(id: string, { name, type, isCorrected }: EntityNaming, at: number): Promise<void> {
    const known = isCorrected ? { is_certain: 1 } : {};
    return this.#set([id], { name, type, corrected: isCorrected ? 1 : 0, updated_at: at, ...known });
  }

  redirect(ids: readonly string[], canonicalId: string): Promise<void> {
    return this.#set(ids, { canonical_id: canonicalId });
  }

  setMergedBy(id: string, mergedBy: MergedBy, at: number): Promise<void> {
    return this.#set([id], { merged_by: mergedBy, updated_at: at });
  }

  trash(id: string, at: number): Promise<void> {
    return this.#set([id], { trashed_at: at });
  }

  restore(id: string): Promise<void> {
    return this.#set([id], { trashed_at: null });
  }

  async #set(ids: readonly string[], columns: Columns): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.updateTable('entities').set(columns).where('id', 'in', ids).execute();
  }
}
