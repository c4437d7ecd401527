import { type ExpressionBuilder, sql } from 'kysely';
import {
  movesShownMax,
  type Narrative,
  type NarrativeChange,
  type NarrativeHead,
  type NarrativeListQuery,
  type NarrativeMove,
  type NarrativeReader,
  type NarrativeState,
  type NarrativeWriter,
  type NewNarrative,
} from '../../../domain/narratives/narrative.ts';
import { assertPosition } from '../../../domain/shared/cursor.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { normaliseTopicName } from '../../../domain/topics/topic.ts';
import { nextRev } from '../core/change-counter.ts';
import type { NarrativeMovesTable } from '../core/derived-tables.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import type { NarrativesTable } from '../core/schema.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { removeUnusedTopics, topicsNamedBy } from '../topics/unused-topics.ts';
import { eraseResponses } from '../users/idempotency-store.ts';
import {
  closeSlot,
  holdsLive,
  liveSlots,
  openSlot,
  slotsWithLiveMemories,
  stateTopics,
  topicsOfNarratives,
} from './narrative-slots.ts';

type NarrativeColumns = Omit<NarrativesTable, 'user_id' | 'rev' | 'trashed_at'>;
type NarrativeRow = NarrativeColumns & {
  readonly memory_count: number | string;
  readonly first_id: string | null;
  readonly last_id: string | null;
};

const columns = [
  'narratives.id',
  'narratives.title',
  'narratives.state',
  'narratives.first_root_id',
  'narratives.created_at',
  'narratives.updated_at',
] as const;

const live = (tables: UserTables) =>
  tables.selectFrom('narratives').where('narratives.trashed_at', 'is', null);

type ThreadExpression = ExpressionBuilder<Reads<'narratives'>, 'narratives'>;

/** Fields of a thread other than its own columns; a resolution in the trash is left out. */
const seenOf = (tables: UserTables) => (eb: ThreadExpression) => [
  liveSlots(tables, eb).select(sql<number>`count(*)`.as('count')).as('memory_count'),
  liveSlots(tables, eb)
    .select('narrative_memories.memory_id')
    .orderBy('narrative_memories.position')
    .limit(1)
    .as('first_id'),
  liveSlots(tables, eb)
    .select('narrative_memories.memory_id')
    .orderBy('narrative_memories.position', 'desc')
    .limit(1)
    .as('last_id'),
  related(eb, 'memories', 'narratives.resolution_id')
    .select('memories.id')
    .where(tables.liveMemory())
    .as('resolution_id'),
];

const byId = new UserQuery<{ id: string }, NarrativeRow>((tables, { id }) =>
  live(tables).select(columns).select(seenOf(tables)).where('narratives.id', '=', id),
);

const latestMoves = new UserQuery<{ id: string; limit: number }, Omit<NarrativeMovesTable, 'user_id'>>(
  (tables, { id, limit }) =>
    tables
      .selectFrom('narrative_moves')
      .select((eb) => [
        'narrative_moves.state',
        'narrative_moves.at',
        related(eb, 'memories', 'narrative_moves.resolution_id')
          .select('memories.id')
          .where(tables.liveMemory())
          .as('resolution_id'),
      ])
      .where('narrative_moves.narrative_id', '=', id)
      .orderBy('narrative_moves.rev', 'desc')
      .limit(limit),
);

const lastChangedFirst: readonly SortColumn[] = [
  { column: 'narratives.rev', order: 'desc', part: 'integer' },
  { column: 'narratives.id', order: 'asc', part: 'text' },
];
const inOrder: readonly SortColumn[] = [
  { column: 'narrative_memories.position', order: 'asc', part: 'integer' },
  { column: 'narrative_memories.memory_id', order: 'asc', part: 'text' },
];
/** Memories by which a cursor finds its place again, the last one and some before it. */
const anchorsMax = 3;

function docsOf(page: Page<{ doc: number; position: number; memory_id: string }>): Page<number> {
  const positions = page.items.map(({ position }, i) => {
    const anchors = page.items.slice(Math.max(0, i + 1 - anchorsMax), i + 1);
    return [position, ...anchors.map(({ memory_id }) => memory_id)];
  });
  return {
    ...page,
    items: page.items.map(({ doc }) => doc),
    positions,
    ...(page.next && { next: positions.at(-1) }),
  };
}

function toHead(row: NarrativeRow): NarrativeHead {
  return {
    id: row.id,
    title: row.title,
    state: row.state as NarrativeState,
    rootMemoryId: row.first_id ?? row.first_root_id,
    currentMemoryId: row.last_id,
    resolutionMemoryId: row.resolution_id,
    memoryCount: Number(row.memory_count),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Any of `names` among the topics that a thread shows: its own, or else those of its live memories. */
function withAnyTopic(tables: UserTables, eb: ThreadExpression, names: readonly string[]) {
  const own = () =>
    related(eb, 'narrative_topics', 'narratives.id', 'narrative_id').select('narrative_topics.position');
  const ofMemories = liveSlots(tables, eb)
    .$call(join('memory_topics', 'memories.id', 'memory_id'))
    .$call(join('topics', 'memory_topics.topic_id'))
    .select('topics.id')
    .where('topics.normalized_name', 'in', names);
  return eb.or([
    eb.exists(own().where('narrative_topics.normalized_name', 'in', names)),
    eb.and([eb.not(eb.exists(own())), eb.exists(ofMemories)]),
  ]);
}

export class SqlNarrativeReader extends UserRecords implements NarrativeReader {
  async find(id: string): Promise<Narrative | undefined> {
    const row = await this.db.first(byId, { id });
    if (!row) return undefined;
    const topics = await topicsOfNarratives(this.db, [id]);
    return { ...toHead(row), topics: topics.get(id) ?? [], moves: await this.#moves(id) };
  }

  async findHead(id: string): Promise<NarrativeHead | undefined> {
    const row = await this.db.first(byId, { id });
    return row && toHead(row);
  }

  async list(request: NarrativeListQuery): Promise<Page<Narrative>> {
    const { state, topics } = request;
    let rows = live(this.db.tables);
    if (state !== undefined) rows = rows.where('narratives.state', '=', state);
    if (topics !== undefined) {
      const names = topics.map(normaliseTopicName);
      rows = rows.where((eb) => withAnyTopic(this.db.tables, eb, names));
    }
    const read = rows.select([...columns, 'narratives.rev']).select(seenOf(this.db.tables));
    const page = await pageOf(rows, read, { by: lastChangedFirst, request });
    const ids = page.items.map(({ id }) => id);
    const shown = await topicsOfNarratives(this.db, ids);
    const items = (page.items as readonly NarrativeRow[]).map((row) => ({
      ...toHead(row),
      topics: shown.get(row.id) ?? [],
    }));
    return { ...page, items };
  }

  async memoryDocs(id: string, request: PageRequest): Promise<Page<number>> {
    const rows = slotsWithLiveMemories(this.db.tables).where('narrative_memories.narrative_id', '=', id);
    const columns = ['memories.doc', 'narrative_memories.position', 'narrative_memories.memory_id'] as const;
    const { after, ...first } = request;
    if (!after) return docsOf(await pageOf(rows, rows.select(columns), { by: inOrder, request }));
    const [position, ...ids] = after;
    assertPosition(after, 'integer', 'text', ...ids.slice(1).map(() => 'text' as const));
    // Slots move when others are filled or cleared: on behind the last of its memories that is still there.
    const own = this.db.tables
      .selectFrom('narrative_memories')
      .where('narrative_memories.narrative_id', '=', id)
      .where('narrative_memories.memory_id', 'in', ids.map(String))
      .select(({ fn }) => fn.max('narrative_memories.position').as('position'));
    const at = sql<number>`coalesce((${own}), ${Number(position) - 1})`;
    const earlier = rows.where('narrative_memories.position', '<=', at).select(sql<number>`count(*)`.as('n'));
    const later = rows.where('narrative_memories.position', '>', at).select(columns);
    const read = later.select(sql<number>`(${earlier})`.as('earlier'));
    const page = await pageOf(rows, read, { by: inOrder, request: first });
    const offset = Number(page.items[0]?.earlier ?? 0);
    return { ...docsOf(page), offset, count: Math.max(page.count, offset + page.items.length) };
  }

  async #moves(id: string): Promise<NarrativeMove[]> {
    const rows = await this.db.all(latestMoves, { id, limit: movesShownMax });
    return rows.reverse().map(({ state, resolution_id, at }) => ({
      state: state as NarrativeState,
      resolutionMemoryId: resolution_id,
      at,
    }));
  }
}

type MoveRow = Omit<NarrativeMovesTable, 'user_id'>;

/** Narratives have no documents: the user's term statistics do not change. */
const noDocuments = { documents: 0, terms: 0 };

export class SqlNarrativeWriter extends SqlNarrativeReader implements NarrativeWriter {
  async insert({ id, title, rootMemoryId, topics, at }: NewNarrative): Promise<void> {
    const rev = await nextRev(this.db, noDocuments, { kind: 'narrative', action: 'created', id });
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
    const rev = await nextRev(this.db, noDocuments, { kind: 'narrative', action: 'changed', id });
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
    await nextRev(this.db, noDocuments, { kind: 'narrative', action: 'deleted', id });
    await this.db.tables.updateTable('narratives').set({ trashed_at: at }).where('id', '=', id).execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, noDocuments, { kind: 'narrative', action: 'restored', id });
    await this.db.tables.updateTable('narratives').set({ trashed_at: null }).where('id', '=', id).execute();
  }

  /** Its slots, topics and moves go with it (ON DELETE CASCADE). */
  async erase(id: string): Promise<void> {
    await nextRev(this.db, noDocuments, { kind: 'narrative', action: 'erased', id });
    const topics = await topicsNamedBy(this.db, id);
    await this.db.tables.deleteFrom('narratives').where('id', '=', id).execute();
    await eraseResponses(this.db, await removeUnusedTopics(this.db, topics));
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
