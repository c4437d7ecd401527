import { type ExpressionBuilder, sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import type { Database } from './schema.ts';
import type { UserDatabase } from './user-database.ts';

/** Names that mean the same topic as the row being looked at, itself included. */
const sameTopic = (eb: ExpressionBuilder<Database, 'topics'>) =>
  eb
    .selectFrom('topics as same')
    .whereRef('same.user_id', '=', 'topics.user_id')
    .whereRef('same.canonical_id', '=', 'topics.canonical_id');

const onMemory = (eb: ExpressionBuilder<Database, 'topics'>) =>
  sameTopic(eb)
    .innerJoin('memory_topics', (join) =>
      join
        .onRef('memory_topics.user_id', '=', 'same.user_id')
        .onRef('memory_topics.topic_id', '=', 'same.id'),
    )
    .select('same.id');

/** A memory carries it by its own right and shows what it was merged into. */
const behindMerge = (eb: ExpressionBuilder<Database, 'topics'>) =>
  sameTopic(eb)
    .innerJoin('topic_origins', (join) =>
      join
        .onRef('topic_origins.user_id', '=', 'same.user_id')
        .onRef('topic_origins.topic_id', '=', 'same.id'),
    )
    .select('same.id');

const onNarrative = (eb: ExpressionBuilder<Database, 'topics'>) =>
  sameTopic(eb)
    .innerJoin('narrative_topics', (join) =>
      join
        .onRef('narrative_topics.user_id', '=', 'same.user_id')
        .onRef('narrative_topics.normalized_name', '=', 'same.normalized_name'),
    )
    .select('same.id');

/** It looks again when it is done. */
const inMerge = (eb: ExpressionBuilder<Database, 'topics'>) =>
  sameTopic(eb)
    .innerJoin('topic_merges', (join) =>
      join
        .onRef('topic_merges.user_id', '=', 'same.user_id')
        .on((on) =>
          on.or([
            on('topic_merges.source_id', '=', on.ref('same.id')),
            on('topic_merges.target_id', '=', on.ref('same.id')),
          ]),
        )
        .on(sql<boolean>`topic_merges.state IN ('running', 'undoing')`),
    )
    .select('same.id');

/**
 * Removes topics among `topicIds` with all their names where none of these is on a memory or narrative, live or in the
 * trash. Merges between the names go along, with their entries in the trash.
 * @returns ids of the topics and merges that are gone
 */
export async function removeUnusedTopics(db: UserDatabase, topicIds: readonly string[]): Promise<string[]> {
  const gone: string[] = [];
  for (const chunk of chunksOf([...new Set(topicIds)])) {
    const roots = db.tables.selectFrom('topics').select('canonical_id').where('id', 'in', chunk);
    const unused = await db.tables
      .selectFrom('topics')
      .select('id')
      .where('canonical_id', 'in', roots)
      .where(({ and, not, exists }) =>
        and([onMemory, behindMerge, onNarrative, inMerge].map((use) => not(exists(use)))),
      )
      .execute();
    const ids = unused.map(({ id }) => id);
    if (ids.length > 0) gone.push(...ids, ...(await removeMerges(db, ids)));
    for (const some of chunksOf(ids)) await db.tables.deleteFrom('topics').where('id', 'in', some).execute();
  }
  return gone;
}

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
  const rows = [...(await shown.distinct().execute()), ...(await origins.distinct().execute())];
  return rows.map(({ topic_id }) => topic_id);
}

/** Topics whose names a narrative states. */
export async function topicsNamedBy(db: UserDatabase, narrativeId: string): Promise<string[]> {
  const rows = await db.tables
    .selectFrom('narrative_topics')
    .innerJoin('topics', (join) =>
      join
        .onRef('topics.user_id', '=', 'narrative_topics.user_id')
        .onRef('topics.normalized_name', '=', 'narrative_topics.normalized_name'),
    )
    .select('topics.id')
    .where('narrative_topics.narrative_id', '=', narrativeId)
    .execute();
  return rows.map(({ id }) => id);
}
