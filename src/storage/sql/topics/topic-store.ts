import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type OrderPart, pageOfList } from '../../../domain/shared/cursor.ts';
import type { Page, Position } from '../../../domain/shared/page.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import {
  normaliseTopicName,
  type Topic,
  type TopicListQuery,
  type TopicName,
  type TopicReader,
  type TopicWriter,
  topicWords,
  uniqueTopics,
} from '../../../domain/topics/topic.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { TopicsTable } from '../core/schema.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { conversationsWith, isGiven, isShown, memoryCountOf } from './topic-assignments.ts';
import {
  derivedTopicsOf,
  memoriesByTopic,
  mergesWithTopics,
  oneIf,
  shownTopics,
  type TopicInOrder,
  topicsNamed,
} from './topic-counts.ts';
import { removeUnusedTopics } from './unused-topics.ts';

type NamedRow = Pick<TopicsTable, 'id' | 'name' | 'normalized_name' | 'created_at' | 'updated_at'>;
type TopicRow = NamedRow & { memory_count: number; is_given: number };

/** A suffix that sorts above every continuation of the text before it. */
const last = '\u{10ffff}';

/** Number of topics counted in one statement: a topic may have thousands of memories. */
const countedAtOnce = 10;

/** Topics that are not aliases, with the numbers of their live memories. */
const topicsWithCounts = (tables: UserTables) =>
  tables
    .selectFrom('topics')
    .select(['topics.id', 'topics.name', 'topics.normalized_name', 'topics.created_at', 'topics.updated_at'])
    .select((eb) => [memoryCountOf(tables, eb).as('memory_count'), oneIf(isGiven(eb)).as('is_given')])
    .whereRef('topics.canonical_id', '=', 'topics.id')
    .where((eb) => isShown(tables, eb));

/** A topic of this id precedes a topic of this name. */
const canonicalOf = new UserQuery((tables, { id, normalized }: { id: string; normalized: string }) =>
  tables
    .selectFrom('topics')
    .select('canonical_id')
    .where((eb) => eb.or([eb('id', '=', id), eb('normalized_name', '=', normalized)]))
    .orderBy(sql`CASE WHEN id = ${id} THEN 0 ELSE 1 END`)
    .limit(1),
);

const byIds = listQuery<string, TopicRow>((tables, ids) =>
  topicsWithCounts(tables).where('topics.id', 'in', ids),
);

const named = listQuery<string, NamedRow>((tables, ids) =>
  tables
    .selectFrom('topics')
    .where('id', 'in', ids)
    .select(['id', 'name', 'normalized_name', 'created_at', 'updated_at']),
);

const otherNames = listQuery((tables, names: readonly string[]) =>
  tables
    .selectFrom('topics')
    .$call(join('topics as same', 'topics.canonical_id', 'canonical_id'))
    .where('topics.normalized_name', 'in', names)
    .select('same.normalized_name'),
);

/** Merges in effect at a time, by the normalised names of both topics. */
const mergesAsOf = new UserQuery((tables, { asOf }: { asOf: number }) =>
  mergesWithTopics(tables)
    .where('topic_merges.created_at', '<=', asOf)
    .where((merge) =>
      merge.or([merge('topic_merges.undone_at', 'is', null), merge('topic_merges.undone_at', '>', asOf)]),
    )
    .select(['source.normalized_name as source', 'target.normalized_name as target']),
);

type MatchRow = { topic_id: string; topic_name: string; name: string; normalized_name: string };
interface Prefix extends Record<string, unknown> {
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

const matchColumns = [
  'meant.id as topic_id',
  'meant.normalized_name as topic_name',
  'topics.name',
  'topics.normalized_name',
] as const;

const byWord = new UserQuery<Prefix, MatchRow>((tables, { from, to, limit }) =>
  tables
    .selectFrom('topic_words')
    .$call(join('topics', 'topic_words.topic_id'))
    .$call(join('topics as meant', 'topics.canonical_id'))
    .where('topic_words.word', '>=', from)
    .where('topic_words.word', '<', to)
    .where((eb) => isShown(tables, eb, 'meant'))
    .select(matchColumns)
    .orderBy('topic_words.word')
    .orderBy('topic_words.topic_id')
    .limit(limit),
);

const inOrder = (tables: UserTables, limit: number) =>
  tables
    .selectFrom('topics')
    .$call(join('topics as meant', 'topics.canonical_id'))
    .select(matchColumns)
    .where((eb) => isShown(tables, eb, 'meant'))
    .orderBy('topics.normalized_name')
    .limit(limit);

const byNameStart = new UserQuery<Prefix, MatchRow>((tables, { from, to, limit }) =>
  inOrder(tables, limit).where('topics.normalized_name', '>=', from).where('topics.normalized_name', '<', to),
);

const allNames = new UserQuery<{ limit: number }, MatchRow>((tables, { limit }) => inOrder(tables, limit));

const toMatch = (row: MatchRow): TopicName => ({
  topicId: row.topic_id,
  topicName: row.topic_name,
  name: row.name,
  normalizedName: row.normalized_name,
});

function toTopic(row: TopicRow): Topic {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    memoryCount: Number(row.memory_count),
    isDerived: row.is_given !== 1,
  };
}

const sortedBy = (by: readonly OrderPart[], positionOf: (topic: TopicInOrder) => Position) => ({
  by,
  positionOf,
});

export class SqlTopicReader extends UserRecords implements TopicReader {
  async find(idOrName: string): Promise<Topic | undefined> {
    const known = await this.db.first(canonicalOf, {
      id: idOrName,
      normalized: normaliseTopicName(idOrName),
    });
    if (!known) return undefined;
    const [topic] = await this.findMany([known.canonical_id]);
    return topic;
  }

  async findMany(ids: readonly string[]): Promise<Topic[]> {
    const found = new Map<string, Topic>();
    for (const some of chunksOf(ids, countedAtOnce))
      for (const row of await this.db.all(byIds(some.length), listArguments(some)))
        found.set(row.id, toTopic(row));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async list({ name, sortBy, order, ...request }: TopicListQuery): Promise<Page<Topic>> {
    const all = await this.db.counted(shownTopics);
    const meant = name === undefined ? undefined : await topicsNamed(this.db, name);
    const shown = meant === undefined ? all : all.filter(({ id }) => meant.has(id));
    const counts = await this.db.counted(memoriesByTopic);
    const countOf = ({ id }: TopicInOrder) => counts.get(id) ?? 0;
    const forth = order === 'asc' ? 1 : -1;
    const givenFirst = { order: 'asc', part: 'integer' } as const;
    const byName = { order: sortBy === 'name' ? order : 'asc', part: 'text' } as const;
    const byCount = { order, part: 'integer' } as const;
    const placeOf = ({ isDerived }: TopicInOrder) => Number(isDerived);
    // Equal counts are in order of name.
    const [ordered, how] =
      sortBy === 'name'
        ? [
            order === 'asc' ? shown : shown.toReversed(),
            sortedBy([givenFirst, byName], (topic) => [placeOf(topic), topic.name]),
          ]
        : [
            shown.toSorted((a, b) => forth * (countOf(a) - countOf(b))),
            sortedBy([givenFirst, byCount, byName], (topic) => [placeOf(topic), countOf(topic), topic.name]),
          ];
    const sorted = ordered.toSorted((a, b) => placeOf(a) - placeOf(b));
    const page = pageOfList(sorted, request, how);
    const rows = new Map<string, NamedRow>();
    for (const some of chunksOf(page.items.map(({ id }) => id)))
      for (const row of await this.db.all(named(some.length), listArguments(some))) rows.set(row.id, row);
    const items = page.items.flatMap((topic) => {
      const row = rows.get(topic.id);
      return row
        ? [toTopic({ ...row, memory_count: countOf(topic), is_given: topic.isDerived ? 0 : 1 })]
        : [];
    });
    return { ...page, items };
  }

  async count(): Promise<number> {
    return (await this.db.counted(shownTopics)).length;
  }

  async matchWord(prefix: string, limit: number): Promise<TopicName[]> {
    return (await this.db.all(byWord, { from: prefix, to: prefix + last, limit })).map(toMatch);
  }

  async matchName(prefix: string, limit: number): Promise<TopicName[]> {
    return (await this.db.all(byNameStart, { from: prefix, to: prefix + last, limit })).map(toMatch);
  }

  async names(limit: number): Promise<TopicName[]> {
    return (await this.db.all(allNames, { limit })).map(toMatch);
  }

  async allNamesOf(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const requested = names.map(normaliseTopicName);
    const rows = await this.db.all(otherNames(requested.length), listArguments(requested));
    return [...new Set([...requested, ...rows.map((row) => row.normalized_name)])];
  }

  async allNamesAsOf(names: readonly string[], asOf: EpochMs): Promise<string[]> {
    const merges = await this.db.all(mergesAsOf, { asOf });
    const found = new Set(names.map(normaliseTopicName));
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const { source, target } of merges)
        if (found.has(source) || found.has(target)) found.add(source).add(target);
    }
    return [...found];
  }

  listDerived(docs: readonly number[]): Promise<Map<number, string[]>> {
    return derivedTopicsOf(this.db, docs);
  }

  async conversationsOf(topicId: string, limit: number): Promise<string[]> {
    return (await this.#conversationsWith(topicId)).slice(0, limit);
  }

  async countConversationsOf(topicId: string): Promise<number> {
    return (await this.#conversationsWith(topicId)).length;
  }

  /** Conversations of a topic: those with the most memories first, then those with the newest activity. */
  async #conversationsWith(topicId: string): Promise<string[]> {
    const found = new Map<string, { id: string; last: number; doc: number; memories: number }>();
    for (const query of conversationsWith)
      for (const row of await this.db.all(query, { topicId })) {
        const before = found.get(row.id)?.memories ?? 0;
        found.set(row.id, { ...row, memories: before + Number(row.memories) });
      }
    return [...found.values()]
      .sort((a, b) => b.memories - a.memories || b.last - a.last || b.doc - a.doc)
      .map(({ id }) => id);
  }
}

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

const assigned = new UserQuery((tables, { memoryId }: { memoryId: string }) =>
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
      // A memory keeps its own spelling of the topic's name.
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

  async create(name: string, at: number): Promise<string> {
    const id = randomUUID();
    await this.db.all(insertTopic, { id, name, normalized: normaliseTopicName(name), at });
    for (const word of topicWords(name)) await this.db.all(insertWord, { word, topicId: id });
    return id;
  }

  async removeUnused(topicIds: readonly string[]): Promise<void> {
    if (topicIds.length > 0) await removeUnusedTopics(this.db, topicIds);
  }

  /** Ids of the topics; creates missing ones. */
  async #idsOf(names: readonly string[], at: number): Promise<Set<string>> {
    const known = await this.#canonicalOf(names);
    const ids = new Set<string>();
    for (const name of names) {
      const normalized = normaliseTopicName(name);
      ids.add(known.get(normalized)?.canonical_id ?? (await this.create(name, at)));
    }
    return ids;
  }

  async #canonicalOf(names: readonly string[]): Promise<Map<string, CanonicalRow>> {
    if (names.length === 0) return new Map();
    const keys = names.map(normaliseTopicName);
    const rows = await this.db.all(canonicalTopics(keys.length), listArguments(keys));
    return new Map(rows.map((row) => [row.normalized_name, row]));
  }
}
