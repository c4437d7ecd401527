import { type Expression, sql } from 'kysely';
import type { ConceptLinks, GraphLink, GraphReader } from '../../../domain/graph/graph-store.ts';
import { join } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

type Concept = Parameters<GraphReader['linksOfConcept']>[0];
interface Limited extends Record<string, unknown> {
  readonly id: string;
  readonly limit: number;
}
interface MemoryRow {
  readonly memory: string;
  readonly confidence: number;
}

/** Counted up to this. */
const totalMax = 1000;

/**
 * Rows are read in the order of an index, so that a topic of 100,000 memories costs no more than one of 100: mentions the
 * newest first, topics of clients by the id of the memory, which is random.
 */
const openVersionOf = (tables: UserTables) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .whereRef('memories.doc', '=', 'memory_versions.doc')
    .where(tables.liveMemory());

/** In no order: asked for one by id, SQLite reads all topics of the user along it. */
const topicAliases = new UserQuery<{ id: string }, { id: string }>((tables, { id }) =>
  tables.selectFrom('topics').where('canonical_id', '=', id).select('id'),
);
const entityAliases = new UserQuery<{ id: string }, { id: string }>((tables, { id }) =>
  tables.selectFrom('entities').where('canonical_id', '=', id).select('id'),
);

const givenTo = new UserQuery<Limited, Omit<MemoryRow, 'confidence'>>((tables, { id, limit }) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('memories', 'memory_topics.memory_id'))
    .where('memory_topics.topic_id', '=', id)
    .where(tables.liveMemory())
    .orderBy('memory_topics.memory_id')
    .limit(limit)
    .select('memories.id as memory'),
);
const derivedFrom = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('derived_topics', 'memory_versions.doc', 'doc'))
    .where('derived_topics.topic_id', '=', id)
    .orderBy('derived_topics.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'derived_topics.score as confidence']),
);
const mentioning = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('entity_mentions', 'memory_versions.doc', 'doc'))
    .where('entity_mentions.entity_id', '=', id)
    .orderBy('entity_mentions.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'entity_mentions.confidence']),
);
const saying = new UserQuery<Limited, MemoryRow>((tables, { id, limit }) =>
  openVersionOf(tables)
    .$call(join('fact_mentions', 'memory_versions.doc', 'doc'))
    .where('fact_mentions.fact_id', '=', id)
    .orderBy('fact_mentions.doc', 'desc')
    .limit(limit)
    .select(['memories.id as memory', 'fact_mentions.confidence']),
);
const statedBy = new UserQuery<Limited, Omit<MemoryRow, 'confidence'>>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where('fact_sources.fact_id', '=', id)
    .where(tables.liveMemory())
    .orderBy('fact_sources.memory_id')
    .limit(limit)
    .select('memories.id as memory'),
);
const factsAbout = new UserQuery<Limited, { fact: string; confidence: number }>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_entities')
    .$call(join('facts', 'fact_entities.fact_id'))
    .where('fact_entities.entity_id', '=', id)
    .where('facts.trashed_at', 'is', null)
    .orderBy('fact_entities.fact_id')
    .limit(limit)
    .select(['facts.id as fact', 'facts.confidence']),
);
const entitiesOfFact = new UserQuery<Limited, { entity: string }>((tables, { id, limit }) =>
  tables
    .selectFrom('fact_entities')
    .$call(join('entities', 'fact_entities.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('fact_entities.fact_id', '=', id)
    .where('shown.trashed_at', 'is', null)
    .orderBy('shown.id')
    .limit(limit)
    .select('shown.id as entity'),
);

/** See `GraphReader.linksOfConcept`. */
export async function linksOfConcept(
  db: UserDatabase,
  concept: Concept,
  limit: number,
): Promise<ConceptLinks> {
  const links = await readLinks[concept.kind](db, concept, limit);
  if (links.length < limit) return { links, total: links.length };
  const total = await countLinks(db, concept);
  return { links, total: Math.max(links.length, total) };
}

/** A count in one row: 1,000 rows a topic took longer to hand over than to find. Every user has one row of counters. */
const counted = (rows: (args: Limited, tables: UserTables) => Expression<unknown>) =>
  new UserQuery<Limited, { total: number }>((tables, args) =>
    tables
      .selectFrom('user_counters')
      .select(sql<number>`(select count(*) from (${rows(args, tables)}) as found)`.as('total')),
  );

/**
 * Counted by the index alone, up to 1,000: with those of closed versions and of memories in the trash. To see for each
 * whether it is live took most of the time of a query of the graph.
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
    const rows: MemoryRow[] = (await db.all(givenTo, { id: topic.id, limit })).map(certain);
    for (const id of await namesIn(db, topicAliases, topic.id))
      if (rows.length < limit) rows.push(...(await db.all(derivedFrom, { id, limit: limit - rows.length })));
    return rows.map((row) => memoryLink(row, topic, 'HAS_TOPIC'));
  },
  entity: async (db, entity, limit) => {
    const rows: MemoryRow[] = [];
    const facts: { fact: string; confidence: number }[] = [];
    for (const id of await namesIn(db, entityAliases, entity.id)) {
      if (rows.length < limit) rows.push(...(await db.all(mentioning, { id, limit: limit - rows.length })));
      if (facts.length < limit)
        facts.push(...(await db.all(factsAbout, { id, limit: limit - facts.length })));
    }
    return [
      ...rows.map((row) => memoryLink(row, entity, 'MENTIONS')),
      ...facts.map(({ fact, confidence }) => aboutLink(fact, entity.id, confidence)),
    ].slice(0, limit);
  },
  fact: async (db, fact, limit) => {
    const rows = [
      ...(await db.all(saying, { id: fact.id, limit })),
      ...(await db.all(statedBy, { id: fact.id, limit })).map(certain),
    ].slice(0, limit);
    const entities = await db.all(entitiesOfFact, { id: fact.id, limit });
    return [
      ...rows.map((row) => memoryLink(row, fact, 'STATES')),
      ...entities.map(({ entity }) => aboutLink(fact.id, entity, 1)),
    ].slice(0, limit);
  },
};

async function namesIn(db: UserDatabase, query: typeof topicAliases, id: string): Promise<string[]> {
  return (await db.all(query, { id })).map((row) => row.id).sort();
}

const certain = ({ memory }: Pick<MemoryRow, 'memory'>): MemoryRow => ({ memory, confidence: 1 });

function memoryLink({ memory, confidence }: MemoryRow, to: Concept, type: GraphLink['type']): GraphLink {
  return {
    a: { kind: 'memory', id: memory },
    b: { kind: to.kind, id: to.id },
    type,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}

function aboutLink(fact: string, entity: string, confidence: number): GraphLink {
  return { a: { kind: 'fact', id: fact }, b: { kind: 'entity', id: entity }, type: 'ABOUT', confidence };
}
