import { sql } from 'kysely';
import type {
  DerivedScope,
  DerivedTotals,
  EntityOrder,
  EntitySort,
} from '../../../domain/entities/entity.ts';
import { comparePositions, type OrderPart } from '../../../domain/shared/cursor.ts';
import type { Position } from '../../../domain/shared/page.ts';
import { chunksOf, sortInTurns } from '../../../lib/collections.ts';
import { otherWork, pauseAfter } from '../../../lib/loop-time.ts';
import { nameKey } from '../../../lib/names.ts';
import { liveMemoriesIn, type Range, rangesOfMemories } from '../core/counts.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { Count, UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { saidFacts } from '../facts/visible-facts.ts';
import { derivedTopicCount } from '../topics/topic-counts.ts';
import { liveMentions } from './entity-rows.ts';

/** Totals of the live mentions of an entity and its aliases. */
export interface MentionTally {
  readonly id: string;
  readonly type: string;
  /** Of the name that is shown. */
  readonly name_key: string;
  /** Live memories that mention it. */
  readonly mention_count: number;
  readonly confidence: number;
  readonly first_seen: number;
  readonly last_seen: number;
}
type Tally = Omit<MentionTally, 'type' | 'name_key'>;

const sortKeys: Readonly<Record<EntitySort, (tally: MentionTally) => number | string>> = {
  mentionCount: (tally) => tally.mention_count,
  name: (tally) => tally.name_key,
  firstSeenAt: (tally) => tally.first_seen,
  lastSeenAt: (tally) => tally.last_seen,
};

const ascending: OrderPart = { order: 'asc', part: 'text' };

/** The positions of entities in an order: equal ones go by name, type and id. */
export function entityPlaces({ sortBy, order }: EntityOrder) {
  const keyOf = sortKeys[sortBy];
  return {
    positionOf: (tally: MentionTally): Position => [keyOf(tally), tally.name_key, tally.type, tally.id],
    by: [
      { order, part: sortBy === 'name' ? 'text' : 'integer' },
      ascending,
      ascending,
      ascending,
    ] as readonly OrderPart[],
  };
}

const namesAtOnce = 500;
const mergedAtOnce = 20;

/**
 * Tallies by entity named in texts, over the memories in a
 * range: each memory is in one range, with its open version.
 */
const tallies = new UserQuery<Range, Tally>((tables, range) =>
  liveMemoriesIn(tables, range)
    .$call(join('entity_mentions', 'memories.doc', 'doc'))
    .groupBy('entity_mentions.entity_id')
    .select(['entity_mentions.entity_id as id'])
    .select([
      sql<number>`count(*)`.as('mention_count'),
      sql<number>`max(entity_mentions.confidence)`.as('confidence'),
      sql<number>`min(memories.created_at)`.as('first_seen'),
      sql<number>`max(memories.created_at)`.as('last_seen'),
    ]),
);

/** Counts of entities with merged ones: a memory that mentions several of them counts once. */
const mergedCounts = listQuery((tables, ids: readonly string[]) =>
  liveMentions(tables)
    .where('entities.canonical_id', 'in', ids)
    .groupBy('entities.canonical_id')
    .select(['entities.canonical_id as id', sql<number>`count(DISTINCT entity_mentions.doc)`.as('count')]),
);

const mentioning = new UserQuery((tables, range: Range) =>
  liveMemoriesIn(tables, range)
    .where((eb) =>
      eb.exists(
        related(eb, 'entity_mentions', 'memories.doc', 'doc')
          .$call(join('entities', 'entity_mentions.entity_id'))
          .$call(join('entities as shown', 'entities.canonical_id'))
          .where('shown.trashed_at', 'is', null)
          .select('shown.id'),
      ),
    )
    .select(sql<number>`count(*)`.as('count')),
);

interface NameRow {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly name_key: string;
  readonly found_type: string;
  readonly canonical_id: string;
  readonly trashed_at: number | null;
}
interface AfterName extends Record<string, unknown> {
  readonly key: string;
  readonly found: string;
  readonly limit: number;
}

const namesAfter = (tables: UserTables, { key, found, limit }: AfterName) =>
  tables
    .selectFrom('entities')
    .where(sql<boolean>`(entities.name_key, entities.found_type) > (${key}, ${found})`)
    .orderBy('entities.name_key')
    .orderBy('entities.found_type')
    .limit(limit)
    .select(['entities.id', 'entities.type', 'entities.name', 'entities.name_key', 'entities.found_type'])
    .select(['entities.canonical_id', 'entities.trashed_at']);

const names = new UserQuery<AfterName, NameRow>(namesAfter);

const mentionedNames = new UserQuery<AfterName, NameRow & { readonly is_mentioned: number }>((tables, args) =>
  namesAfter(tables, args)
    .whereRef('entities.canonical_id', '=', 'entities.id')
    .where('entities.trashed_at', 'is', null)
    .select((eb) => {
      const mention = related(eb, 'entities as part', 'entities.id', 'canonical_id')
        .$call(join('entity_mentions', 'part.id', 'entity_id'))
        .$call(join('memory_versions', 'entity_mentions.doc', 'doc'))
        .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
        .where('memory_versions.closed_at', 'is', null)
        .where(tables.liveMemory())
        .select('memories.seq');
      return sql<number>`CASE WHEN ${eb.exists(mention)} THEN 1 ELSE 0 END`.as('is_mentioned');
    }),
);

/** Entities that live memories mention, in no fixed order. */
const entityTallies: Count<readonly MentionTally[]> = {
  name: 'entities',
  of: async (db) => {
    const found = new Map<string, Tally>();
    for await (const range of rangesOfMemories(db))
      for (const tally of await db.all(tallies, range))
        found.set(tally.id, sumOf(tally, found.get(tally.id)));
    const shown = await shownEntities(db);
    const counts = await countsOfMerged(db, shown);
    const mentioned: MentionTally[] = [];
    for (const { id, type, name_key, members } of shown.values()) {
      const pause = pauseAfter();
      if (pause) await pause;
      const parts = members.flatMap((member) => found.get(member) ?? []);
      if (parts.length === 0) continue;
      const tally = parts.reduce((sum, part) => sumOf(part, sum));
      mentioned.push({ ...tally, id, type, name_key, mention_count: counts.get(id) ?? tally.mention_count });
    }
    return mentioned;
  },
};

/** Entities that live memories mention, in an order. */
export const orderedEntities = (order: EntityOrder): Count<readonly MentionTally[]> => ({
  name: `entities by ${order.sortBy} ${order.order}`,
  of: async (db) => {
    const { positionOf, by } = entityPlaces(order);
    const placed = (await db.counted(entityTallies)).map((tally) => ({ tally, place: positionOf(tally) }));
    const sorted = await sortInTurns(placed, (a, b) => comparePositions(a.place, b.place, by));
    return sorted.map(({ tally }) => tally);
  },
});

/** Entities that live memories mention. */
export const mentionedEntities: Count<{ readonly count: number }> = {
  name: 'mentioned entities',
  of: async (db) => {
    let count = 0;
    for await (const rows of pagesOf(db, mentionedNames))
      for (const { is_mentioned } of rows) count += is_mentioned;
    return { count };
  },
};

/** Live memories that mention an entity. */
export const memoriesWithEntities: Count<{ readonly count: number }> = {
  name: 'memories with entities',
  of: async (db) => {
    let count = 0;
    for await (const range of rangesOfMemories(db))
      count += Number((await db.first(mentioning, range))?.count ?? 0);
    return { count };
  },
};

function sumOf(tally: Tally, before: Tally | undefined): Tally {
  const mention_count = Number(tally.mention_count) + (before?.mention_count ?? 0);
  if (!before) return { ...tally, mention_count };
  return {
    id: tally.id,
    mention_count,
    confidence: Math.max(tally.confidence, before.confidence),
    first_seen: Math.min(tally.first_seen, before.first_seen),
    last_seen: Math.max(tally.last_seen, before.last_seen),
  };
}

interface ShownEntity {
  readonly id: string;
  readonly type: string;
  readonly name_key: string;
  /** Entities that are shown as it, itself included. */
  readonly members: string[];
}

/** Entities that are not in the trash, by id. */
async function shownEntities(db: UserDatabase): Promise<Map<string, ShownEntity>> {
  const shown = new Map<string, ShownEntity>();
  const parts: NameRow[] = [];
  for await (const rows of pagesOf(db, names))
    for (const row of rows) {
      if (row.canonical_id !== row.id) parts.push(row);
      else if (row.trashed_at === null)
        shown.set(row.id, { id: row.id, type: row.type, name_key: nameKey(row.name), members: [row.id] });
    }
  for (const { id, canonical_id } of parts) shown.get(canonical_id)?.members.push(id);
  return shown;
}

async function countsOfMerged(
  db: UserDatabase,
  shown: ReadonlyMap<string, ShownEntity>,
): Promise<Map<string, number>> {
  const merged = [...shown.values()].filter(({ members }) => members.length > 1).map(({ id }) => id);
  const counts = new Map<string, number>();
  for (const ids of chunksOf(merged, mergedAtOnce)) {
    for (const { id, count } of await db.all(mergedCounts(ids.length), listArguments(ids)))
      counts.set(id, Number(count));
    await otherWork();
  }
  return counts;
}

/** Rows in the order of their names; requests go between pages. */
async function* pagesOf<R extends NameRow>(
  db: UserDatabase,
  query: UserQuery<AfterName, R>,
): AsyncGenerator<readonly R[]> {
  for (let [key, found, isMore] = ['', '', true]; isMore; ) {
    const rows = await db.all(query, { key, found, limit: namesAtOnce });
    yield rows;
    await otherWork();
    ({ name_key: key, found_type: found } = rows.at(-1) ?? { name_key: '', found_type: '' });
    isMore = rows.length === namesAtOnce;
  }
}

/** Open versions of the live memories within a scope. */
function versionsWithin(tables: UserTables, { createdFrom, createdTo, topicId }: DerivedScope) {
  let memories = tables.selectFrom('memories').where(tables.liveMemory()).select('memories.doc');
  if (createdFrom !== undefined) memories = memories.where('memories.created_at', '>=', createdFrom);
  if (createdTo !== undefined) memories = memories.where('memories.created_at', '<=', createdTo);
  if (topicId === undefined) return memories;
  const given = tables.selectFrom('memory_topics').select('memory_id').where('topic_id', '=', topicId);
  const derived = tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .where('topics.canonical_id', '=', topicId)
    .select('derived_topics.doc');
  return memories.where((eb) => eb.or([eb('memories.id', 'in', given), eb('memories.doc', 'in', derived)]));
}

const countOf = (column: string) => sql<number>`count(DISTINCT ${sql.ref(column)})`;

/** Totals over all live memories. */
async function totalsOfAll(db: UserDatabase): Promise<DerivedTotals> {
  const entities = await db.counted(mentionedEntities);
  const memories = await db.counted(memoriesWithEntities);
  const facts = await db.counted(saidFacts);
  const topics = await db.counted(derivedTopicCount);
  return {
    entities: entities.count,
    memoriesWithEntities: memories.count,
    facts: facts.count,
    topics: topics.count,
  };
}

/** See `EntityReader.derivedTotals`. */
export function derivedTotals(db: UserDatabase, scope: DerivedScope): Promise<DerivedTotals> {
  const isAll = Object.values(scope).every((bound) => bound === undefined);
  return isAll ? totalsOfAll(db) : totalsWithin(db, scope);
}

async function totalsWithin({ tables }: UserDatabase, scope: DerivedScope): Promise<DerivedTotals> {
  const mentioned = await tables
    .selectFrom('entity_mentions')
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('shown.trashed_at', 'is', null)
    .where('entity_mentions.doc', 'in', versionsWithin(tables, scope))
    .select([countOf('shown.id').as('entities'), countOf('entity_mentions.doc').as('memories')])
    .executeTakeFirstOrThrow();
  const said = await tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .where('facts.trashed_at', 'is', null)
    .where('fact_mentions.doc', 'in', versionsWithin(tables, scope))
    .select(countOf('facts.id').as('facts'))
    .executeTakeFirstOrThrow();
  const about = await tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .where('derived_topics.doc', 'in', versionsWithin(tables, scope))
    .select(countOf('topics.canonical_id').as('topics'))
    .executeTakeFirstOrThrow();
  return {
    entities: Number(mentioned.entities),
    memoriesWithEntities: Number(mentioned.memories),
    facts: Number(said.facts),
    topics: Number(about.topics),
  };
}
