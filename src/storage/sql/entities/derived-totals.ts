import { sql } from 'kysely';
import type { DerivedScope, DerivedTotals } from '../../../domain/entities/entity-store.ts';
import { join } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { UserTables } from '../core/user-tables.ts';
import { saidFacts } from '../facts/fact-counts.ts';
import { derivedTopicCount } from '../topics/topic-counts.ts';
import { memoriesWithEntities, mentionedEntities } from './entity-counts.ts';

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

/** Of all live memories. */
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
