import { sql } from 'kysely';
import type {
  TopicLink,
  TopicMerge,
  TopicMergeReader,
  TopicMergeState,
  TopicMergeWriter,
  TopicRef,
  TopicRows,
  TopicRowsOfMemory,
} from '../../../domain/topics/topic-merge.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { mergesWithTopics } from './topic-counts.ts';

interface Root {
  readonly rootId: string;
  readonly rootName: string;
}
type MergeRow = Omit<TopicMerge, 'source' | 'target'> & {
  readonly sourceId: string;
  readonly sourceName: string;
  readonly targetId: string;
  readonly targetName: string;
};
type LinkRow = Omit<TopicLink, 'root'> & Root;
const merges = (tables: UserTables) =>
  mergesWithTopics(tables)
    .select(['topic_merges.id', 'topic_merges.state', 'topic_merges.memories_moved as memoriesMoved'])
    .select(['topic_merges.created_at as createdAt', 'topic_merges.undone_at as undoneAt'])
    .select(['topic_merges.source_id as sourceId', 'source.name as sourceName'])
    .select(['topic_merges.target_id as targetId', 'target.name as targetName'])
    .$castTo<MergeRow>();

const unfinished = new UserQuery<Record<never, never>, MergeRow>((tables) =>
  merges(tables)
    .where(sql<boolean>`topic_merges.state IN ('running', 'undoing')`)
    .orderBy('topic_merges.created_at')
    .orderBy('topic_merges.id')
    .limit(1),
);

const linksOf = listQuery<string, LinkRow>((tables, memoryIds) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('topics', 'memory_topics.topic_id'))
    .$call(join('topics as root', 'topics.canonical_id'))
    .where('memory_topics.memory_id', 'in', memoryIds)
    .select(['memory_topics.memory_id as memoryId', 'memory_topics.topic_id as topicId'])
    .select(['topics.normalized_name as normalizedName', 'root.id as rootId', 'root.name as rootName']),
);

const originsOf = listQuery((tables, memoryIds: readonly string[]) =>
  tables
    .selectFrom('topic_origins')
    .$call(join('topics', 'topic_origins.topic_id'))
    .$call(join('topics as root', 'topics.canonical_id'))
    .where('topic_origins.memory_id', 'in', memoryIds)
    .select(['topic_origins.memory_id as memoryId', 'topic_origins.topic_id as topicId'])
    .select(['topic_origins.shown_as as shownAs', 'topic_origins.name', 'topic_origins.position'])
    .select(['root.id as rootId', 'root.name as rootName']),
);

const showing = new UserQuery((tables, { topicId, limit }: { topicId: string; limit: number }) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('memories', 'memory_topics.memory_id'))
    .where('memory_topics.topic_id', '=', topicId)
    .where(tables.liveMemory())
    .select('memories.id')
    .orderBy('memory_topics.memory_id')
    .limit(limit),
);

const hiding = new UserQuery((tables, { topicId, limit }: { topicId: string; limit: number }) =>
  tables
    .selectFrom('topics')
    .$call(join('topic_origins', 'topics.id', 'topic_id'))
    .whereRef('topic_origins.shown_as', '<>', 'topics.canonical_id')
    .$call(join('memories', 'topic_origins.memory_id'))
    .where('topics.canonical_id', '=', topicId)
    .where(tables.liveMemory())
    .select('memories.id')
    .distinct()
    .orderBy('memories.id')
    .limit(limit),
);

const clearLinks = listQuery<string, never>((tables, memoryIds) =>
  tables.deleteFrom('memory_topics').where('memory_id', 'in', memoryIds),
);

const clearOrigins = listQuery<string, never>((tables, memoryIds) =>
  tables.deleteFrom('topic_origins').where('memory_id', 'in', memoryIds),
);

const toMerge = ({ sourceId, sourceName, targetId, targetName, ...merge }: MergeRow): TopicMerge => ({
  ...merge,
  source: { id: sourceId, name: sourceName },
  target: { id: targetId, name: targetName },
});

/** Moves the two columns of the topic that is shown into `root`. */
const withRoot = <R extends Root>({ rootId, rootName, ...row }: R) => ({
  ...row,
  root: { id: rootId, name: rootName },
});

export class SqlTopicMergeReader extends UserRecords implements TopicMergeReader {
  async find(id: string): Promise<TopicMerge | undefined> {
    const row = await merges(this.db.tables).where('topic_merges.id', '=', id).executeTakeFirst();
    return row && toMerge(row);
  }

  async listActive(limit: number): Promise<TopicMerge[]> {
    const rows = await merges(this.db.tables)
      .where('topic_merges.state', 'in', ['running', 'done'])
      .orderBy('topic_merges.created_at', 'desc')
      .orderBy('topic_merges.id')
      .limit(limit)
      .execute();
    return rows.map(toMerge);
  }

  async findUnfinished(): Promise<TopicMerge | undefined> {
    const row = await this.db.first(unfinished, {});
    return row && toMerge(row);
  }
}

export class SqlTopicMergeWriter extends SqlTopicMergeReader implements TopicMergeWriter {
  async insert(merge: TopicMerge): Promise<void> {
    await this.db.tables
      .insertInto('topic_merges', {
        id: merge.id,
        source_id: merge.source.id,
        target_id: merge.target.id,
        state: merge.state,
        memories_moved: merge.memoriesMoved,
        created_at: merge.createdAt,
        undone_at: merge.undoneAt,
      })
      .execute();
  }

  async setState(id: string, state: TopicMergeState, undoneAt: number | null): Promise<void> {
    await this.db.tables
      .updateTable('topic_merges')
      .set({ state, undone_at: undoneAt })
      .where('id', '=', id)
      .execute();
  }

  async addMoved(id: string, memories: number): Promise<void> {
    await this.db.tables
      .updateTable('topic_merges')
      .set({ memories_moved: sql<number>`memories_moved + ${memories}` })
      .where('id', '=', id)
      .execute();
  }

  async listNamesOf(topicId: string): Promise<TopicRef[]> {
    return this.db.tables
      .selectFrom('topics')
      .select(['id', 'name'])
      .where('canonical_id', '=', topicId)
      .execute();
  }

  async redirect(topicIds: readonly string[], canonicalId: string): Promise<void> {
    const changed = topicIds.map((id) => ({ kind: 'topic', action: 'changed', id }) as const);
    await nextRev(this.db, { documents: 0, terms: 0 }, ...changed);
    for (const id of topicIds)
      await this.db.tables
        .updateTable('topics')
        .set({ canonical_id: canonicalId })
        .where('id', '=', id)
        .execute();
  }

  async memoriesShowing(topicId: string, limit: number): Promise<string[]> {
    return (await this.db.all(showing, { topicId, limit })).map(({ id }) => id);
  }

  async memoriesHiding(topicId: string, limit: number): Promise<string[]> {
    return (await this.db.all(hiding, { topicId, limit })).map(({ id }) => id);
  }

  async topicRowsOf(memoryIds: readonly string[]): Promise<TopicRows> {
    if (memoryIds.length === 0) return { links: [], origins: [] };
    const values = listArguments(memoryIds);
    const links = await this.db.all(linksOf(memoryIds.length), values);
    const origins = await this.db.all(originsOf(memoryIds.length), values);
    return { links: links.map(withRoot), origins: origins.map(withRoot) };
  }

  async replaceTopicRows(memories: readonly TopicRowsOfMemory[]): Promise<void> {
    if (memories.length === 0) return;
    await nextRev(this.db, { documents: 0, terms: 0 });
    const ids = listArguments(memories.map(({ memoryId }) => memoryId));
    await this.db.all(clearLinks(memories.length), ids);
    await this.db.all(clearOrigins(memories.length), ids);
    const links = memories.flatMap(({ memoryId, topicIds }) =>
      topicIds.map((topicId) => ({ topic_id: topicId, memory_id: memoryId })),
    );
    const origins = memories.flatMap((memory) =>
      memory.origins.map(({ topicId, shownAs, name, position }) => ({
        topic_id: topicId,
        memory_id: memory.memoryId,
        shown_as: shownAs,
        name,
        position,
      })),
    );
    for (const rows of chunksOf(links)) await this.db.tables.insertAll('memory_topics', rows).execute();
    for (const rows of chunksOf(origins)) await this.db.tables.insertAll('topic_origins', rows).execute();
  }
}
