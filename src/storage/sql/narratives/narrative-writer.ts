import type {
  NarrativeChange,
  NarrativeWriter,
  NewNarrative,
} from '../../../domain/narratives/narrative-store.ts';
import { nextRev } from '../core/change-counter.ts';
import type { NarrativeMovesTable } from '../core/step-tables.ts';
import { removeUnusedTopics, topicsNamedBy } from '../topics/unused-topics.ts';
import { closeSlot, holdsLive, openSlot } from './narrative-slots.ts';
import { SqlNarrativeReader } from './narrative-store.ts';
import { stateTopics } from './narrative-topics.ts';

type MoveRow = Omit<NarrativeMovesTable, 'user_id'>;

/** Narratives have no documents: the user's term statistics do not change. */
const noDocuments = { documents: 0, terms: 0 };

export class SqlNarrativeWriter extends SqlNarrativeReader implements NarrativeWriter {
  async insert({ id, title, rootMemoryId, topics, at }: NewNarrative): Promise<void> {
    const rev = await nextRev(this.db, noDocuments);
    await this.db.tables
      .insertInto('narratives', {
        id,
        title,
        state: 'open',
        first_root_id: rootMemoryId,
        resolution_id: null,
        rev,
        created_at: at,
        updated_at: at,
        trashed_at: null,
      })
      .execute();
    await stateTopics(this.db, id, topics);
    await this.#keepMove({ narrative_id: id, rev, state: 'open', resolution_id: null, at });
    await openSlot(this.db, id, rootMemoryId, undefined);
  }

  async change(id: string, { title, topics, move }: NarrativeChange, at: number): Promise<void> {
    const rev = await nextRev(this.db, noDocuments);
    const row = await this.db.tables
      .updateTable('narratives')
      .set({ title, state: move?.state, resolution_id: move?.resolutionMemoryId, rev, updated_at: at })
      .where('id', '=', id)
      .returning(['state', 'resolution_id'])
      .executeTakeFirstOrThrow();
    if (topics) {
      const before = await topicsNamedBy(this.db, id);
      await stateTopics(this.db, id, topics);
      await removeUnusedTopics(this.db, before);
    }
    if (move) await this.#keepMove({ narrative_id: id, rev, at, ...row });
  }

  async trash(id: string, at: number): Promise<void> {
    await nextRev(this.db, noDocuments);
    await this.db.tables.updateTable('narratives').set({ trashed_at: at }).where('id', '=', id).execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, noDocuments);
    await this.db.tables.updateTable('narratives').set({ trashed_at: null }).where('id', '=', id).execute();
  }

  contains(id: string, memoryId: string): Promise<boolean> {
    return holdsLive(this.db, id, memoryId);
  }

  insertMemory(id: string, memoryId: string, index: number | undefined): Promise<void> {
    return openSlot(this.db, id, memoryId, index);
  }

  removeMemory(id: string, memoryId: string): Promise<void> {
    return closeSlot(this.db, id, memoryId);
  }

  async #keepMove(row: MoveRow): Promise<void> {
    await this.db.tables.insertInto('narrative_moves', row).execute();
  }
}
