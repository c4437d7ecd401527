import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from '../../domain/shared/page.ts';
import { normaliseTopicName, type Topic } from '../../domain/topics/topic.ts';
import type { TopicListQuery, TopicReader, TopicWriter } from '../../domain/topics/topic-store.ts';
import type { TopicsTable } from './schema.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';
import type { UserTables } from './user-tables.ts';

type TopicRow = Omit<TopicsTable, 'user_id'> & { memory_count: number };

const topicsWithCounts = (tables: UserTables) =>
  tables
    .selectFrom('topics')
    .select(['topics.id', 'topics.name', 'topics.normalized_name', 'topics.created_at', 'topics.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('memory_topics')
        .innerJoin('memories', (join) =>
          join
            .onRef('memories.user_id', '=', 'memory_topics.user_id')
            .onRef('memories.id', '=', 'memory_topics.memory_id'),
        )
        .whereRef('memory_topics.user_id', '=', 'topics.user_id')
        .whereRef('memory_topics.topic_id', '=', 'topics.id')
        .where('memories.trashed_at', 'is', null)
        .select(sql<number>`count(*)`.as('count'))
        .as('memory_count'),
    );

const byIdOrName = new UserQuery<{ id: string; normalized: string }, TopicRow>((tables, { id, normalized }) =>
  topicsWithCounts(tables)
    .where((eb) => eb.or([eb('topics.id', '=', id), eb('topics.normalized_name', '=', normalized)]))
    .limit(1),
);

const idByName = new UserQuery<{ normalized: string }, { id: string }>((tables, { normalized }) =>
  tables.selectFrom('topics').select('id').where('normalized_name', '=', normalized),
);

const insertTopic = new UserQuery<{ id: string; name: string; normalized: string; at: number }, never>(
  (tables, args) =>
    tables.insertInto('topics', {
      id: args.id,
      name: args.name,
      normalized_name: args.normalized,
      created_at: args.at,
      updated_at: args.at,
    }),
);

const clearAssigned = new UserQuery<{ memoryId: string }, never>((tables, { memoryId }) =>
  tables.deleteFrom('memory_topics').where('memory_id', '=', memoryId),
);

const assignOne = new UserQuery<{ memoryId: string; topicId: string }, never>(
  (tables, { memoryId, topicId }) =>
    tables.insertInto('memory_topics', { topic_id: topicId, memory_id: memoryId }),
);

function toTopic(row: TopicRow): Topic {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    memoryCount: Number(row.memory_count),
  };
}

export class SqlTopicReader implements TopicReader {
  protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }

  async find(idOrName: string): Promise<Topic | undefined> {
    const row = await this.db.first(byIdOrName, { id: idOrName, normalized: normaliseTopicName(idOrName) });
    return row && toTopic(row);
  }

  async list(query: TopicListQuery): Promise<Page<Topic>> {
    const rows = await topicsWithCounts(this.db.tables)
      .orderBy(query.sortBy === 'name' ? 'normalized_name' : 'memory_count', query.order)
      .orderBy('normalized_name')
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const items = (rows as TopicRow[]).map(toTopic);
    return { items, limit: query.limit, offset: query.offset, count: await this.count() };
  }

  async count(): Promise<number> {
    const query = this.db.tables.selectFrom('topics').select(sql<number>`count(*)`.as('count'));
    return Number((await query.executeTakeFirstOrThrow()).count);
  }
}

export class SqlTopicWriter extends SqlTopicReader implements TopicWriter {
  async assign(memoryId: string, names: readonly string[], at: number): Promise<void> {
    await this.db.all(clearAssigned, { memoryId });
    const wanted = new Map(names.map((name) => [normaliseTopicName(name), name]));
    for (const [normalized, name] of wanted) {
      const topicId = await this.#idOf(normalized, name, at);
      await this.db.all(assignOne, { memoryId, topicId });
    }
  }

  async #idOf(normalized: string, name: string, at: number): Promise<string> {
    const known = await this.db.first(idByName, { normalized });
    if (known) return known.id;
    const id = randomUUID();
    await this.db.all(insertTopic, { id, name, normalized, at });
    return id;
  }
}
