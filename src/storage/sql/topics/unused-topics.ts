import { type ExpressionBuilder, sql } from 'kysely';
import { chunksOf } from '../../../lib/collections.ts';
import { communitiesWith, removeEmptyCommunities } from '../communities/community-writer.ts';
import { join, type Reads, related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';

interface Member {
  readonly id: string;
  readonly canonical_id: string;
}

/**
 * Removes the unused topics among `topicIds`, with all their names: those without a name on a
 * memory (given or derived) or on a narrative, live or in the trash. Also removes the merges
 * between the names, with their entries in the trash, and communities without a topic.
 * @returns ids of the removed topics and merges
 */
export async function removeUnusedTopics(db: UserDatabase, topicIds: readonly string[]): Promise<string[]> {
  const members: Member[] = [];
  for (const chunk of chunksOf([...new Set(topicIds)])) members.push(...(await membersAround(db, chunk)));
  const used = await usedTopics(db, [...new Set(members.map(({ id }) => id))]);
  const usedRoots = new Set(members.filter(({ id }) => used.has(id)).map(({ canonical_id }) => canonical_id));
  const ids = [
    ...new Set(members.filter(({ canonical_id }) => !usedRoots.has(canonical_id)).map(({ id }) => id)),
  ];
  if (ids.length === 0) return [];
  const merges = await removeMerges(db, ids);
  const communities = await communitiesWith(db, ids);
  for (const some of chunksOf(ids)) await db.tables.deleteFrom('topics').where('id', 'in', some).execute();
  await removeEmptyCommunities(db, communities);
  return [...ids, ...merges];
}

/** Topics with the same canonical topic as one of these. */
async function membersAround(db: UserDatabase, topicIds: readonly string[]): Promise<Member[]> {
  const roots = db.tables.selectFrom('topics').select('canonical_id').where('id', 'in', topicIds);
  return db.tables
    .selectFrom('topics')
    .select(['id', 'canonical_id'])
    .where('canonical_id', 'in', roots)
    .execute();
}

/**
 * Topics shown by a memory, kept from before a merge, derived,
 * or named by a narrative, and those of running merges.
 */
async function usedTopics(db: UserDatabase, topicIds: readonly string[]): Promise<Set<string>> {
  const used = new Set<string>();
  for (const chunk of chunksOf(topicIds)) {
    const rows = await db.tables
      .selectFrom('topics')
      .select('id')
      .where('id', 'in', chunk)
      .where((eb) => eb.or(usesOf(eb).map((use) => eb.exists(use))))
      .execute();
    for (const { id } of rows) used.add(id);
  }
  const merging = await db.tables
    .selectFrom('topic_merges')
    .select(['source_id', 'target_id'])
    .where(sql<boolean>`state IN ('running', 'undoing')`)
    .execute();
  // The end of a merge checks for unused topics again.
  for (const { source_id, target_id } of merging) used.add(source_id).add(target_id);
  return used;
}

/** Each looks at one table: joined with names that mean the same, SQLite begins with all rows of the user. */
const usesOf = (eb: ExpressionBuilder<Reads<'topics'>, 'topics'>) => [
  related(eb, 'memory_topics', 'topics.id', 'topic_id').select('memory_topics.topic_id as id'),
  related(eb, 'topic_origins', 'topics.id', 'topic_id').select('topic_origins.topic_id as id'),
  related(eb, 'narrative_topics', 'topics.normalized_name', 'normalized_name').select(
    'narrative_topics.narrative_id as id',
  ),
  related(eb, 'derived_topics', 'topics.id', 'topic_id').select('derived_topics.topic_id as id'),
];

async function removeMerges(db: UserDatabase, topicIds: readonly string[]): Promise<string[]> {
  const merges: string[] = [];
  for (const some of chunksOf(topicIds)) {
    const rows = await db.tables
      .deleteFrom('topic_merges')
      .where(({ or, eb }) => or([eb('source_id', 'in', some), eb('target_id', 'in', some)]))
      .returning('id')
      .execute();
    merges.push(...rows.map(({ id }) => id));
  }
  for (const some of chunksOf(merges)) {
    await db.tables
      .deleteFrom('trash_entries')
      .where('kind', '=', 'topic-merge')
      .where('record_id', 'in', some)
      .execute();
  }
  return merges;
}

/** Topics that these memories show, or carry behind a merge. */
export async function topicsOf(db: UserDatabase, memoryIds: readonly string[]): Promise<string[]> {
  const shown = db.tables.selectFrom('memory_topics').select('topic_id').where('memory_id', 'in', memoryIds);
  const origins = db.tables
    .selectFrom('topic_origins')
    .select('topic_id')
    .where('memory_id', 'in', memoryIds);
  // Repetitions are dropped here: asked to do it, SQLite reads all rows of the user in the order of topics.
  const rows = [...(await shown.execute()), ...(await origins.execute())];
  return [...new Set(rows.map(({ topic_id }) => topic_id))];
}

/** Topics whose names a narrative states. */
export async function topicsNamedBy(db: UserDatabase, narrativeId: string): Promise<string[]> {
  const rows = await db.tables
    .selectFrom('narrative_topics')
    .$call(join('topics', 'narrative_topics.normalized_name', 'normalized_name'))
    .select('topics.id')
    .where('narrative_topics.narrative_id', '=', narrativeId)
    .execute();
  return rows.map(({ id }) => id);
}
