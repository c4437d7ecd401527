import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { normaliseTopicName } from '../../../domain/topics/topic.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import { liveMemoriesIn, type Range, rangesOfMemories } from '../core/counts.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { Count, UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { isGiven, isShown, liveDerivedOf, memoryCountOf } from './topic-assignments.ts';

interface CountRow {
  readonly id: string;
  readonly count: number | string;
}

const shownAtOnce = 250;
const mergedAtOnce = 10;

/** Topics that clients gave to the memories in a range. */
const given = new UserQuery<Range, CountRow>((tables, range) =>
  liveMemoriesIn(tables, range)
    .$call(join('memory_topics', 'memories.id', 'memory_id'))
    .groupBy('memory_topics.topic_id')
    .select(['memory_topics.topic_id as id', sql<number>`count(*)`.as('count')]),
);

/**
 * Topics derived from the open versions of the memories in a
 * range, without those that a client gave, by derived name.
 */
const derived = new UserQuery<Range, CountRow>((tables, range) =>
  liveMemoriesIn(tables, range)
    .$call(join('derived_topics', 'memories.doc', 'doc'))
    .where((row) =>
      row.not(
        row.exists(
          related(row, 'memory_topics as stated', 'memories.id', 'memory_id')
            .whereRef('stated.topic_id', '=', 'derived_topics.topic_id')
            .select('stated.topic_id'),
        ),
      ),
    )
    .groupBy('derived_topics.topic_id')
    .select(['derived_topics.topic_id as id', sql<number>`count(*)`.as('count')]),
);

const merged = new UserQuery((tables) =>
  tables.selectFrom('topics').whereRef('canonical_id', '<>', 'id').select('canonical_id as id').distinct(),
);

/** Counts of topics with merged ones: a memory with several of their names counts once. */
const countsOfMerged = listQuery<string, CountRow>((tables, ids) =>
  tables
    .selectFrom('topics')
    .where('topics.id', 'in', ids)
    .select((eb) => ['topics.id', memoryCountOf(tables, eb).as('count')]),
);

/** Number of live memories by id of each topic that is not an alias; 0 may be missing. */
export const memoriesByTopic: Count<ReadonlyMap<string, number>> = {
  name: 'memories by topic',
  of: async (db) => {
    const counts = new Map<string, number>();
    for await (const range of rangesOfMemories(db))
      for (const query of [given, derived]) {
        for (const { id, count } of await db.all(query, range))
          counts.set(id, (counts.get(id) ?? 0) + Number(count));
        await otherWork();
      }
    const shown = (await db.all(merged, {})).map(({ id }) => id);
    for (const ids of chunksOf(shown, mergedAtOnce)) {
      for (const { id, count } of await db.all(countsOfMerged(ids.length), listArguments(ids)))
        counts.set(id, Number(count));
      await otherWork();
    }
    return counts;
  },
};

interface ShownRow {
  readonly id: string;
  readonly normalized_name: string;
  readonly is_shown: number;
  readonly is_given: number;
}
type AfterName = UserQuery<{ name: string; limit: number }, ShownRow>;

/** 1 or 0, in both engines. */
export const oneIf = (condition: Expression<SqlBool>) =>
  sql<number>`CASE WHEN ${condition} THEN 1 ELSE 0 END`;

const topicsWhere = (
  condition: (tables: UserTables, eb: ExpressionBuilder<Reads<'topics'>, 'topics'>) => Expression<SqlBool>,
): AfterName =>
  new UserQuery((tables, { name, limit }) =>
    tables
      .selectFrom('topics')
      .where('topics.normalized_name', '>', name)
      .whereRef('topics.canonical_id', '=', 'topics.id')
      .orderBy('topics.normalized_name')
      .limit(limit)
      .select(['topics.id', 'topics.normalized_name'])
      .select((eb) => [oneIf(condition(tables, eb)).as('is_shown'), oneIf(isGiven(eb)).as('is_given')]),
  );

const shownAfter = topicsWhere((tables, eb) => isShown(tables, eb));
const derivedAfter = topicsWhere((tables, eb) =>
  eb.exists(liveDerivedOf(tables, eb).select('derived_topics.topic_id')),
);

export interface TopicInOrder {
  readonly id: string;
  readonly name: string;
  readonly isDerived: boolean;
}

/** The topics that are shown, by their normalised names, in the order of these. */
export const shownTopics: Count<readonly TopicInOrder[]> = {
  name: 'topics',
  of: (db) => topicsBy(db, shownAfter),
};

/** Topics that were derived from live memories. */
export const derivedTopicCount: Count<{ readonly count: number }> = {
  name: 'derived topics',
  of: async (db) => ({ count: (await topicsBy(db, derivedAfter)).length }),
};

/** Topics with a name or alias that contains `part`. */
export async function topicsNamed({ tables }: UserDatabase, part: string): Promise<ReadonlySet<string>> {
  const like = `%${normaliseTopicName(part).replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await tables
    .selectFrom('topics')
    .where(sql<boolean>`normalized_name LIKE ${like} ESCAPE '\\'`)
    .select('canonical_id')
    .execute();
  return new Set(rows.map(({ canonical_id }) => canonical_id));
}

async function topicsBy(db: UserDatabase, query: AfterName): Promise<TopicInOrder[]> {
  const topics: TopicInOrder[] = [];
  for (let name: string | undefined = ''; name !== undefined; ) {
    const from: string = name;
    const rows = await db.all(query, { name: from, limit: shownAtOnce });
    for (const row of rows)
      if (row.is_shown === 1)
        topics.push({ id: row.id, name: row.normalized_name, isDerived: row.is_given !== 1 });
    name = rows.length < shownAtOnce ? undefined : rows.at(-1)?.normalized_name;
    await otherWork();
  }
  return topics;
}

/** Whether a live memory has the topic that the statement reads as `topics`: from its client, or derived. */
export const isOnLiveMemory =
  (tables: UserTables) =>
  (eb: ExpressionBuilder<Reads<'topics'>, 'topics'>): Expression<SqlBool> =>
    eb.or([
      eb.exists(
        related(eb, 'memory_topics', 'topics.id', 'topic_id')
          .$call(join('memories', 'memory_topics.memory_id'))
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
      eb.exists(
        related(eb, 'topics as alias', 'topics.id', 'canonical_id')
          .$call(join('derived_topics', 'alias.id', 'topic_id'))
          .$call(join('memory_versions', 'derived_topics.doc', 'doc'))
          .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
          .whereRef('memories.doc', '=', 'derived_topics.doc')
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
    ]);

const derivedTopics = listQuery((tables, docs: readonly number[]) =>
  tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .$call(join('topics as meant', 'topics.canonical_id'))
    .where('derived_topics.doc', 'in', docs)
    .groupBy(['derived_topics.doc', 'meant.name', 'meant.normalized_name'])
    .select(['derived_topics.doc', 'meant.name'])
    .orderBy(sql`max(derived_topics.score)`, 'desc')
    .orderBy('meant.normalized_name'),
);

/** See `TopicReader.listDerived`. */
export async function derivedTopicsOf(
  db: UserDatabase,
  docs: readonly number[],
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const chunk of chunksOf(docs)) {
    for (const { doc, name } of await db.all(derivedTopics(chunk.length), listArguments(chunk))) {
      const names = found.get(doc);
      if (names) names.push(name);
      else found.set(doc, [name]);
    }
  }
  return found;
}

/** Merges of topics, with the rows of the two topics as `source` and `target`. */
export const mergesWithTopics = (tables: UserTables) =>
  tables
    .selectFrom('topic_merges')
    .$call(join('topics as source', 'topic_merges.source_id'))
    .$call(join('topics as target', 'topic_merges.target_id'));
