import { type ExpressionBuilder, sql } from 'kysely';
import { join, type Reads, related } from '../core/joins.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

/**
 * Topics of memories: given by their client (`memory_topics`, by canonical
 * id), or derived from the open version (`derived_topics`, by the id of the
 * derived name). Derived ones count only if the client did not give the topic.
 */
type Outer = Reads<'topics'>;

/** The alias under which a statement reads its topic. */
type TopicName = 'topics' | 'meant';
type OfTopics = ExpressionBuilder<Outer, 'topics'>;

const idOf = (name: TopicName) => `${name}.id` as 'topics.id';

/** Derived assignments to all names of the statement's topic, in the open versions of live memories. */
export const liveDerivedOf = (tables: UserTables, eb: OfTopics, name: TopicName = 'topics') =>
  related(eb, 'topics as spelt', idOf(name), 'canonical_id')
    .$call(join('derived_topics', 'spelt.id', 'topic_id'))
    .$call(join('memory_versions', 'derived_topics.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory());

/** Number of live memories with the statement's topic. */
export const memoryCountOf = (tables: UserTables, eb: OfTopics) => {
  const given = related(eb, 'memory_topics', 'topics.id', 'topic_id')
    .$call(join('memories', 'memory_topics.memory_id'))
    .where(tables.liveMemory())
    .select(sql<number>`count(*)`.as('count'));
  const derived = liveDerivedOf(tables, eb)
    .where((row) =>
      row.not(
        row.exists(
          related(row, 'memory_topics as stated', 'memories.id', 'memory_id')
            .whereRef('stated.topic_id', '=', 'topics.id')
            .select('stated.topic_id'),
        ),
      ),
    )
    .select(sql<number>`count(DISTINCT memories.seq)`.as('count'));
  return sql<number>`(${given}) + (${derived})`;
};

/** Whether the topic is visible: false if only derivation assigned it, and to no live memory. */
export function isShown<DB extends Outer, TB extends keyof DB>(
  tables: UserTables,
  statement: ExpressionBuilder<DB, TB>,
  name: TopicName = 'topics',
) {
  const eb = statement as unknown as OfTopics;
  return eb.or([
    isGiven(eb, name),
    eb.exists(liveDerivedOf(tables, eb, name).select('derived_topics.topic_id')),
  ]);
}

/** Whether a client gave the topic, under any of its names, to a memory or a thread. */
export function isGiven<DB extends Outer, TB extends keyof DB>(
  statement: ExpressionBuilder<DB, TB>,
  name: TopicName = 'topics',
) {
  const eb = statement as unknown as OfTopics;
  return eb.or([
    eb.exists(related(eb, 'memory_topics', idOf(name), 'topic_id').select('memory_topics.topic_id')),
    eb.exists(
      related(eb, 'topics as spelt', idOf(name), 'canonical_id')
        .select('spelt.id')
        .where((row) =>
          row.or([
            row.exists(
              related(row, 'memory_topics as stated', 'spelt.id', 'topic_id').select('stated.topic_id'),
            ),
            row.exists(
              related(row, 'topic_origins', 'spelt.id', 'topic_id').select('topic_origins.topic_id'),
            ),
            row.exists(
              related(row, 'narrative_topics', 'spelt.normalized_name', 'normalized_name').select(
                'narrative_topics.position',
              ),
            ),
          ]),
        ),
    ),
  ]);
}

/** Live memories that a client gave a topic. */
const givenMemories = (tables: UserTables, topicId: string) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('memories', 'memory_topics.memory_id'))
    .where('memory_topics.topic_id', '=', topicId)
    .where(tables.liveMemory());

/** Live memories with a derived topic that no client gave them. */
const derivedMemories = (tables: UserTables, topicId: string) =>
  tables
    .selectFrom('derived_topics')
    .$call(join('topics as mine', 'derived_topics.topic_id'))
    .$call(join('memory_versions', 'derived_topics.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('mine.canonical_id', '=', topicId)
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory())
    .where((row) =>
      row.not(
        row.exists(
          related(row, 'memory_topics as stated', 'memories.id', 'memory_id')
            .where('stated.topic_id', '=', topicId)
            .select('stated.topic_id'),
        ),
      ),
    );

interface Busy {
  readonly id: string;
  readonly last: number;
  readonly doc: number;
  readonly memories: number;
}

const memories = sql<number>`count(DISTINCT memories.seq)`.as('memories');
const busyGroup = ['conversations.id', 'conversations.last_activity_at', 'conversations.doc'] as const;
const busyColumns = [
  'conversations.id',
  'conversations.last_activity_at as last',
  'conversations.doc',
  memories,
] as const;

/** Live conversations with memories of a topic, given and derived. */
export const conversationsWith = [
  new UserQuery<{ topicId: string }, Busy>((tables, { topicId }) =>
    givenMemories(tables, topicId)
      .$call(join('conversations', 'memories.conversation_id'))
      .where('conversations.trashed_at', 'is', null)
      .groupBy(busyGroup)
      .select(busyColumns),
  ),
  new UserQuery<{ topicId: string }, Busy>((tables, { topicId }) =>
    derivedMemories(tables, topicId)
      .$call(join('conversations', 'memories.conversation_id'))
      .where('conversations.trashed_at', 'is', null)
      .groupBy(busyGroup)
      .select(busyColumns),
  ),
] as const;
