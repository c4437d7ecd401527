import { type ExpressionBuilder, sql } from 'kysely';
import { normaliseTopicName } from '../../../domain/topics/topic.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Slots of threads with their memories, if those are live. */
export const slotsWithLiveMemories = (tables: UserTables) =>
  tables
    .selectFrom('narrative_memories')
    .$call(join('memories', 'narrative_memories.memory_id'))
    .where(tables.liveMemory());

/** The slots of the thread of the row that is being read. */
export const liveSlots = (tables: UserTables, eb: ExpressionBuilder<Reads<'narratives'>, 'narratives'>) =>
  related(eb, 'narrative_memories', 'narratives.id', 'narrative_id')
    .$call(join('memories', 'narrative_memories.memory_id'))
    .where(tables.liveMemory());

type Slot = { readonly memory_id: string; readonly position: number };

const extentOf = new UserQuery((tables, { id }: { id: string }) =>
  tables
    .selectFrom('narrative_memories')
    .select([
      sql<number>`count(*)`.as('slots'),
      sql<number>`coalesce(max(narrative_memories.position) + 1, 0)`.as('next'),
    ])
    .where('narrative_id', '=', id),
);

const allSlots = new UserQuery<{ id: string }, Slot>((tables, { id }) =>
  tables
    .selectFrom('narrative_memories')
    .select(['memory_id', 'position'])
    .where('narrative_id', '=', id)
    .orderBy('position'),
);

const liveSlotAt = new UserQuery<{ id: string; index: number }, Slot>((tables, { id, index }) =>
  slotsWithLiveMemories(tables)
    .select(['narrative_memories.memory_id', 'narrative_memories.position'])
    .where('narrative_memories.narrative_id', '=', id)
    .orderBy('narrative_memories.position')
    .limit(1)
    .offset(index),
);

const liveSlotOf = new UserQuery<{ id: string; memoryId: string }, Slot>((tables, { id, memoryId }) =>
  slotsWithLiveMemories(tables)
    .select(['narrative_memories.memory_id', 'narrative_memories.position'])
    .where('narrative_memories.narrative_id', '=', id)
    .where('narrative_memories.memory_id', '=', memoryId),
);

const insertSlot = new UserQuery<{ id: string; memoryId: string; position: number }, never>(
  (tables, { id, memoryId, position }) =>
    tables.insertInto('narrative_memories', { narrative_id: id, memory_id: memoryId, position }),
);

const deleteSlot = new UserQuery((tables, { id, memoryId }: { id: string; memoryId: string }) =>
  tables
    .deleteFrom('narrative_memories')
    .where('narrative_id', '=', id)
    .where('memory_id', '=', memoryId)
    .returning('position'),
);

const setPosition = new UserQuery<{ id: string; memoryId: string; position: number }, never>(
  (tables, { id, memoryId, position }) =>
    tables
      .updateTable('narrative_memories')
      .set({ position })
      .where('narrative_id', '=', id)
      .where('memory_id', '=', memoryId),
);

const shiftUp = new UserQuery<{ id: string; from: number }, never>((tables, { id, from }) =>
  tables
    .updateTable('narrative_memories')
    .set({ position: sql<number>`position + 1` })
    .where('narrative_id', '=', id)
    .where('position', '>=', from),
);

const shiftDown = new UserQuery<{ id: string; from: number }, never>((tables, { id, from }) =>
  tables
    .updateTable('narrative_memories')
    .set({ position: sql<number>`position - 1` })
    .where('narrative_id', '=', id)
    .where('position', '>=', from),
);

export async function holdsLive(db: UserDatabase, id: string, memoryId: string): Promise<boolean> {
  return (await db.first(liveSlotOf, { id, memoryId })) !== undefined;
}

/**
 * The slot right before the live memory at `index`; after
 * all slots if there is none, or if `index` is undefined.
 */
export async function openSlot(
  db: UserDatabase,
  id: string,
  memoryId: string,
  index: number | undefined,
): Promise<void> {
  const end = await closeGaps(db, id);
  const before = index === undefined ? undefined : await db.first(liveSlotAt, { id, index });
  const position = before?.position ?? end;
  if (position < end) await db.all(shiftUp, { id, from: position });
  await db.all(insertSlot, { id, memoryId, position });
}

export async function closeSlot(db: UserDatabase, id: string, memoryId: string): Promise<void> {
  const removed = await db.first(deleteSlot, { id, memoryId });
  if (removed) await db.all(shiftDown, { id, from: removed.position + 1 });
}

/** Numbers the slots again: memories erased for good leave gaps. @returns the number of slots */
async function closeGaps(db: UserDatabase, id: string): Promise<number> {
  const extent = await db.first(extentOf, { id });
  const count = Number(extent?.slots ?? 0);
  if (count === Number(extent?.next ?? 0)) return count;
  const slots = await db.all(allSlots, { id });
  for (const [position, slot] of slots.entries()) {
    if (slot.position !== position) await db.all(setPosition, { id, memoryId: slot.memory_id, position });
  }
  return count;
}

const firstMemory = (eb: ExpressionBuilder<Reads<'narratives'>, 'narratives'>) =>
  related(eb, 'narrative_memories', 'narratives.id', 'narrative_id')
    .select('memory_id')
    .orderBy('position')
    .limit(1);

/**
 * Narratives that began with one of these erased memories
 * begin with their first remaining one; empty for none.
 */
export async function forgetRoots(db: UserDatabase, memoryIds: readonly string[]): Promise<void> {
  await db.tables
    .updateTable('narratives')
    .set((eb) => ({ first_root_id: sql<string>`coalesce(${firstMemory(eb)}, '')` }))
    .where('first_root_id', 'in', memoryIds)
    .execute();
}

interface TopicRow {
  readonly narrative_id: string;
  readonly name: string;
}

const statedTopics = listQuery<string, TopicRow>((tables, ids) =>
  tables
    .selectFrom('narrative_topics')
    .select(['narrative_id', 'name'])
    .where('narrative_id', 'in', ids)
    .orderBy('narrative_id')
    .orderBy('position'),
);

const topicsOfMemories = listQuery<string, TopicRow>((tables, ids) =>
  slotsWithLiveMemories(tables)
    .$call(join('memory_topics', 'memories.id', 'memory_id'))
    .$call(join('topics', 'memory_topics.topic_id'))
    .select(['narrative_memories.narrative_id', 'topics.name'])
    .where('narrative_memories.narrative_id', 'in', ids)
    .groupBy(['narrative_memories.narrative_id', 'topics.id', 'topics.name', 'topics.normalized_name'])
    .orderBy('narrative_memories.narrative_id')
    .orderBy(sql`min(narrative_memories.position)`)
    .orderBy('topics.normalized_name'),
);

const clearStated = new UserQuery<{ id: string }, never>((tables, { id }) =>
  tables.deleteFrom('narrative_topics').where('narrative_id', '=', id),
);

const insertStated = new UserQuery<{ id: string; position: number; name: string; normalized: string }, never>(
  (tables, { id, position, name, normalized }) =>
    tables.insertInto('narrative_topics', { narrative_id: id, position, name, normalized_name: normalized }),
);

/** Topics of each thread: the stated ones, or else those of its live memories. */
export async function topicsOfNarratives(
  db: UserDatabase,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const topics = new Map<string, string[]>();
  await collect(db, statedTopics, ids, topics);
  const silent = ids.filter((id) => !topics.has(id));
  await collect(db, topicsOfMemories, silent, topics);
  return topics;
}

async function collect(
  db: UserDatabase,
  query: typeof statedTopics,
  ids: readonly string[],
  into: Map<string, string[]>,
): Promise<void> {
  if (ids.length === 0) return;
  for (const { narrative_id, name } of await db.all(query(ids.length), listArguments(ids)))
    into.set(narrative_id, [...(into.get(narrative_id) ?? []), name]);
}

/** Replaces the stated topics by `names`; an empty list removes them. */
export async function stateTopics(db: UserDatabase, id: string, names: readonly string[]): Promise<void> {
  await db.all(clearStated, { id });
  for (const [position, name] of names.entries())
    await db.all(insertStated, { id, position, name, normalized: normaliseTopicName(name) });
}
