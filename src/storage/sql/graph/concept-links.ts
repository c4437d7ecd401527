import { type Expression, sql } from 'kysely';
import {
  type ConceptLinks,
  type ConceptName,
  compareLinks,
  type GraphLink,
  type GraphNode,
  type GraphReader,
  memoryNode,
  type NodeKind,
} from '../../../domain/graph/graph-store.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { isOnLiveMemory } from '../topics/topic-counts.ts';

type Concept = Parameters<GraphReader['linksOfConcept']>[0];
interface Limited extends Record<string, unknown> {
  readonly id: string;
  readonly limit: number;
}
interface FactRow {
  readonly fact: string;
  readonly place: string;
  readonly confidence: number;
}
interface EntityRow {
  readonly entity: string;
  readonly place: string;
}
interface MemoryRow {
  readonly memory: string;
  readonly seq: number;
  readonly confidence: number;
}

/** Sort keys of a fact or an entity. */
export const factPlace = sql<string>`facts.subject || ' ' || facts.predicate || ' ' || facts.object`;
export const entityPlace = sql<string>`shown.name_key || ' ' || shown.found_type`;

/** Maximum of a count. */
const totalMax = 1000;

/**
 * Rows are read in the order of an index, so that a topic of 100,000 memories costs
 * no more than one of 100: mentions with the newest first. Topics of clients, stated
 * facts and facts about an entity are indexed by random ids: if there are more than
 * requested, the first of at most `totalMax` by their text or their creation.
 */
const openVersionOf = (tables: UserTables) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .whereRef('memories.doc', '=', 'memory_versions.doc')
    .where(tables.liveMemory());

interface Alias {
  readonly id: string;
  readonly name: string;
}

/** Unordered: to order the aliases of a single id, SQLite reads all topics of the user. */
const topicAliases = new UserQuery<{ id: string }, Alias>((tables, { id }) =>
  tables.selectFrom('topics').where('canonical_id', '=', id).select(['id', 'normalized_name as name']),
);
const entityAliases = new UserQuery<{ id: string }, Alias>((tables, { id }) =>
  tables
    .selectFrom('entities')
    .where('canonical_id', '=', id)
    .select('id')
    .select(sql<string>`name_key || ' ' || found_type`.as('name')),
);

const givenTo = new UserQuery<Limited, Omit<MemoryRow, 'confidence'>>((tables, { id, limit }) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('memories', 'memory_topics.memory_id'))
    .where('memory_topics.topic_id', '=', id)
    .where(tables.liveMemory())
    .orderBy('memory_topics.memory_id')
    .limit(limit)
    .select(['memories.id as memory', 'memories.seq']),
);
const derivedFrom = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('derived_topics', 'memory_versions.doc', 'doc'))
    .where('derived_topics.topic_id', '=', id)
    .orderBy('derived_topics.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'memories.seq', 'derived_topics.score as confidence']),
);
const mentioning = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('entity_mentions', 'memory_versions.doc', 'doc'))
    .where('entity_mentions.entity_id', '=', id)
    .orderBy('entity_mentions.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'memories.seq', 'entity_mentions.confidence']),
);
const saying = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('fact_mentions', 'memory_versions.doc', 'doc'))
    .where('fact_mentions.fact_id', '=', id)
    .orderBy('fact_mentions.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'memories.seq', 'fact_mentions.confidence']),
);
const statedBy = new UserQuery<Limited, Omit<MemoryRow, 'confidence'>>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where('fact_sources.fact_id', '=', id)
    .where(tables.liveMemory())
    .orderBy('fact_sources.memory_id')
    .limit(limit)
    .select(['memories.id as memory', 'memories.seq']),
);
const factsAbout = new UserQuery<Limited, FactRow>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_entities')
    .$call(join('facts', 'fact_entities.fact_id'))
    .where('fact_entities.entity_id', '=', id)
    .where('facts.trashed_at', 'is', null)
    .orderBy('fact_entities.fact_id')
    .limit(limit)
    .select(['facts.id as fact', 'facts.confidence', factPlace.as('place')]),
);
const entitiesOfFact = new UserQuery<Limited, EntityRow>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_entities')
    .$call(join('entities', 'fact_entities.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('fact_entities.fact_id', '=', id)
    .where('shown.trashed_at', 'is', null)
    .orderBy('shown.name_key')
    .orderBy('shown.id')
    .limit(limit)
    .select(['shown.id as entity', entityPlace.as('place')]),
);

/** See `GraphReader.linksOfConcept`. */
export async function linksOfConcept(
  db: UserDatabase,
  concept: Concept,
  limit: number,
): Promise<ConceptLinks> {
  const links = (await readLinks[concept.kind](db, concept, limit)).sort(compareLinks);
  if (links.length < limit) return { links, total: links.length };
  const total = await countLinks(db, concept);
  return { links, total: Math.max(links.length, total) };
}

/**
 * A count in one row: transferring 1,000 rows for each topic took
 * longer than finding them. Every user has one row of counters.
 */
const counted = (rows: (args: Limited, tables: UserTables) => Expression<unknown>) =>
  new UserQuery((tables, args: Limited) =>
    tables
      .selectFrom('user_counters')
      .select(sql<number>`(select count(*) from (${rows(args, tables)}) as found)`.as('total')),
  );

/**
 * Counted by the index alone, up to 1,000, including closed versions and memories in the
 * trash. Checking each for being live took most of the time of a query of the graph.
 */
const counts: Readonly<Record<Concept['kind'], readonly UserQuery<Limited, { total: number }>[]>> = {
  topic: [
    counted(({ id, limit }, tables) =>
      tables.selectFrom('memory_topics').where('topic_id', '=', id).limit(limit).select('topic_id as id'),
    ),
    counted(({ id, limit }, tables) =>
      tables.selectFrom('derived_topics').where('topic_id', '=', id).limit(limit).select('topic_id as id'),
    ),
  ],
  entity: [
    counted(({ id, limit }, tables) =>
      tables.selectFrom('entity_mentions').where('entity_id', '=', id).limit(limit).select('entity_id as id'),
    ),
  ],
  fact: [
    counted(({ id, limit }, tables) =>
      tables.selectFrom('fact_mentions').where('fact_id', '=', id).limit(limit).select('fact_id as id'),
    ),
    counted(({ id, limit }, tables) =>
      tables.selectFrom('fact_sources').where('fact_id', '=', id).limit(limit).select('fact_id as id'),
    ),
  ],
};

async function countLinks(db: UserDatabase, { kind, id }: Concept): Promise<number> {
  let total = 0;
  for (const query of counts[kind])
    total += Number((await db.first(query, { id, limit: totalMax }))?.total ?? 0);
  return Math.min(total, totalMax);
}

const readLinks: Readonly<
  Record<Concept['kind'], (db: UserDatabase, of: Concept, limit: number) => Promise<GraphLink[]>>
> = {
  topic: async (db, topic, limit) => {
    const rows: MemoryRow[] = (await firstOf(db, givenTo, { id: topic.id, limit }, newestFirst)).map(certain);
    for (const id of await namesIn(db, topicAliases, topic.id))
      if (rows.length < limit) rows.push(...(await db.all(derivedFrom, { id, limit: limit - rows.length })));
    return rows.map((row) => memoryLink(row, topic, 'HAS_TOPIC'));
  },
  entity: async (db, entity, limit) => {
    const rows: MemoryRow[] = [];
    const facts: FactRow[] = [];
    for (const id of await namesIn(db, entityAliases, entity.id)) {
      if (rows.length < limit) rows.push(...(await db.all(mentioning, { id, limit: limit - rows.length })));
      if (facts.length < limit)
        facts.push(...(await firstOf(db, factsAbout, { id, limit: limit - facts.length }, inPlace)));
    }
    return [
      ...rows.map((row) => memoryLink(row, entity, 'MENTIONS')),
      ...facts.map((row) => aboutLink(row, { entity: entity.id, place: entity.place ?? '' }, row.confidence)),
    ].slice(0, limit);
  },
  fact: async (db, fact, limit) => {
    const rows = [
      ...(await db.all(saying, { id: fact.id, limit })),
      ...(await firstOf(db, statedBy, { id: fact.id, limit }, newestFirst)).map(certain),
    ].slice(0, limit);
    const entities = await db.all(entitiesOfFact, { id: fact.id, limit });
    return [
      ...rows.map((row) => memoryLink(row, fact, 'STATES')),
      ...entities.map((row) => aboutLink({ fact: fact.id, place: fact.place ?? '' }, row, 1)),
    ].slice(0, limit);
  },
};

async function namesIn(db: UserDatabase, query: typeof topicAliases, id: string): Promise<string[]> {
  const rows = await db.all(query, { id });
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((row) => row.id);
}

/** All rows if there are fewer than requested, else the first of up to `totalMax`. */
async function firstOf<R>(
  db: UserDatabase,
  query: UserQuery<Limited, R>,
  { id, limit }: Limited,
  compare: (a: R, b: R) => number,
): Promise<R[]> {
  const rows = await db.all(query, { id, limit });
  const all = rows.length < limit ? rows : await db.all(query, { id, limit: totalMax });
  return all.toSorted(compare).slice(0, limit);
}

const newestFirst = (a: Pick<MemoryRow, 'seq'>, b: Pick<MemoryRow, 'seq'>) => b.seq - a.seq;
const inPlace = (a: FactRow, b: FactRow) => (a.place < b.place ? -1 : 1);

const certain = ({ memory, seq }: Omit<MemoryRow, 'confidence'>): MemoryRow => ({
  memory,
  seq,
  confidence: 1,
});

function memoryLink({ memory, seq, confidence }: MemoryRow, to: Concept, type: GraphLink['type']): GraphLink {
  return {
    a: memoryNode(memory, seq),
    b: to,
    type,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}

function aboutLink(fact: Omit<FactRow, 'confidence'>, entity: EntityRow, confidence: number): GraphLink {
  return {
    a: { kind: 'fact', id: fact.fact, place: fact.place },
    b: { kind: 'entity', id: entity.entity, place: entity.place },
    type: 'ABOUT',
    confidence,
  };
}

const topics = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('topics')
    .where('id', 'in', ids)
    .where((eb) => isOnLiveMemory(tables)(eb))
    .select(['id', 'name']),
);
const entities = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('entities')
    .where('entities.id', 'in', ids)
    .where('entities.trashed_at', 'is', null)
    .where((eb) =>
      eb.exists(
        related(eb, 'entities as alias', 'entities.id', 'canonical_id')
          .$call(join('entity_mentions', 'alias.id', 'entity_id'))
          .$call(join('memory_versions', 'entity_mentions.doc', 'doc'))
          .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
          .whereRef('memories.doc', '=', 'entity_mentions.doc')
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
    )
    .select(['entities.id', 'entities.name', 'entities.type']),
);
const facts = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('facts')
    .where('facts.id', 'in', ids)
    .where('facts.trashed_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb.exists(
          related(eb, 'fact_mentions', 'facts.id', 'fact_id')
            .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
            .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
            .whereRef('memories.doc', '=', 'fact_mentions.doc')
            .where(tables.liveMemory())
            .select('memories.id'),
        ),
        eb.exists(
          related(eb, 'fact_sources', 'facts.id', 'fact_id')
            .$call(join('memories', 'fact_sources.memory_id'))
            .where(tables.liveMemory())
            .select('memories.id'),
        ),
      ]),
    )
    .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object']),
);

/** See `GraphReader.namesOf`. */
export async function namesOf(db: UserDatabase, concepts: readonly GraphNode[]): Promise<ConceptName[]> {
  const idsOf = (kind: NodeKind) => concepts.filter((node) => node.kind === kind).map(({ id }) => id);
  const read = async <R>(query: ReturnType<typeof listQuery<string, R>>, ids: readonly string[]) =>
    ids.length === 0 ? [] : db.all(query(ids.length), listArguments(ids));
  return [
    ...(await read(topics, idsOf('topic'))).map((row) => ({ kind: 'topic' as const, ...row })),
    ...(await read(entities, idsOf('entity'))).map((row) => ({ kind: 'entity' as const, ...row })),
    ...(await read(facts, idsOf('fact'))).map(({ id, subject, predicate, object }) => ({
      kind: 'fact' as const,
      id,
      name: `${subject} ${predicate} ${object}`,
    })),
  ];
}
