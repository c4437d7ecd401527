import { sql } from 'kysely';
import { normaliseTopicName } from '../../../domain/topics/topic.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { slotsWithLiveMemories } from './narrative-slots.ts';

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
