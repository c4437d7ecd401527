import { randomUUID } from 'node:crypto';
import { normaliseTopicName, topicWords, uniqueTopics } from '../../../domain/topics/topic.ts';
import type { TopicWriter } from '../../../domain/topics/topic-store.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { UserQuery } from '../core/user-query.ts';
import { SqlTopicReader } from './topic-store.ts';
import { removeUnusedTopics } from './unused-topics.ts';

interface CanonicalRow {
  readonly normalized_name: string;
  readonly canonical_id: string;
  readonly canonical_name: string;
}

const canonicalTopics = listQuery<string, CanonicalRow>((tables, names) =>
  tables
    .selectFrom('topics')
    .$call(join('topics as meant', 'topics.canonical_id'))
    .where('topics.normalized_name', 'in', names)
    .select(['topics.normalized_name', 'meant.id as canonical_id', 'meant.name as canonical_name']),
);

const insertTopic = new UserQuery<{ id: string; name: string; normalized: string; at: number }, never>(
  (tables, args) =>
    tables.insertInto('topics', {
      id: args.id,
      name: args.name,
      normalized_name: args.normalized,
      canonical_id: args.id,
      created_at: args.at,
      updated_at: args.at,
    }),
);

const insertWord = new UserQuery<{ word: string; topicId: string }, never>((tables, { word, topicId }) =>
  tables.insertInto('topic_words', { word, topic_id: topicId }),
);

const assigned = new UserQuery<{ memoryId: string }, { topic_id: string }>((tables, { memoryId }) =>
  tables.selectFrom('memory_topics').select('topic_id').where('memory_id', '=', memoryId),
);

const assignOne = new UserQuery<{ memoryId: string; topicId: string }, never>(
  (tables, { memoryId, topicId }) =>
    tables.insertInto('memory_topics', { topic_id: topicId, memory_id: memoryId }),
);

const unassignOne = new UserQuery<{ memoryId: string; topicId: string }, never>(
  (tables, { memoryId, topicId }) =>
    tables.deleteFrom('memory_topics').where('topic_id', '=', topicId).where('memory_id', '=', memoryId),
);

const forgetOrigins = new UserQuery<{ memoryId: string; shownAs: string }, never>(
  (tables, { memoryId, shownAs }) =>
    tables.deleteFrom('topic_origins').where('memory_id', '=', memoryId).where('shown_as', '=', shownAs),
);

export class SqlTopicWriter extends SqlTopicReader implements TopicWriter {
  async current(names: readonly string[]): Promise<string[]> {
    const known = await this.#canonicalOf(names);
    const current = names.map((name) => {
      const key = normaliseTopicName(name);
      const meant = known.get(key);
      // The memory's own spelling stays where it is the topic's name.
      return meant && normaliseTopicName(meant.canonical_name) !== key ? meant.canonical_name : name;
    });
    return uniqueTopics(current);
  }

  async assignFirst(memoryId: string, names: readonly string[], at: number): Promise<void> {
    for (const topicId of await this.#idsOf(names, at)) await this.db.all(assignOne, { memoryId, topicId });
  }

  async assign(memoryId: string, names: readonly string[], at: number): Promise<void> {
    const before = await this.db.all(assigned, { memoryId });
    const requested = await this.#idsOf(names, at);
    const dropped: string[] = [];
    for (const { topic_id: topicId } of before) {
      if (requested.delete(topicId)) continue;
      dropped.push(topicId);
      await this.db.all(unassignOne, { memoryId, topicId });
      await this.db.all(forgetOrigins, { memoryId, shownAs: topicId });
    }
    for (const topicId of requested) await this.db.all(assignOne, { memoryId, topicId });
    await this.removeUnused(dropped);
  }

  async removeUnused(topicIds: readonly string[]): Promise<void> {
    if (topicIds.length > 0) await removeUnusedTopics(this.db, topicIds);
  }

  /** Ids of the topics, those that are new made. */
  async #idsOf(names: readonly string[], at: number): Promise<Set<string>> {
    const known = await this.#canonicalOf(names);
    const ids = new Set<string>();
    for (const name of names) {
      const normalized = normaliseTopicName(name);
      ids.add(known.get(normalized)?.canonical_id ?? (await this.#create(name, normalized, at)));
    }
    return ids;
  }

  async #canonicalOf(names: readonly string[]): Promise<Map<string, CanonicalRow>> {
    if (names.length === 0) return new Map();
    const keys = names.map(normaliseTopicName);
    const rows = await this.db.all(canonicalTopics(keys.length), listArguments(keys));
    return new Map(rows.map((row) => [row.normalized_name, row]));
  }

  async #create(name: string, normalized: string, at: number): Promise<string> {
    const id = randomUUID();
    await this.db.all(insertTopic, { id, name, normalized, at });
    for (const word of topicWords(name)) await this.db.all(insertWord, { word, topicId: id });
    return id;
  }
}
