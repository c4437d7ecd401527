import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import { removeUnusedTopics } from '../topics/unused-topics.ts';
import { removeUnmentionedEntities, removeUnsupportedFacts } from './unsupported.ts';

/** Ids of the entities, facts and topics of versions. */
export interface DerivedIds {
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly topics: readonly string[];
}

/** Ids of all entities, facts and topics that were derived from these versions. */
export async function derivedFrom({ tables }: UserDatabase, docs: readonly number[]): Promise<DerivedIds> {
  const [entities, facts, topics] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const chunk of chunksOf(docs)) {
    const mentions = tables.selectFrom('entity_mentions').select('entity_id').where('doc', 'in', chunk);
    for (const { entity_id } of await mentions.execute()) entities.add(entity_id);
    const said = tables.selectFrom('fact_mentions').select('fact_id').where('doc', 'in', chunk);
    for (const { fact_id } of await said.execute()) facts.add(fact_id);
    const about = tables.selectFrom('derived_topics').select('topic_id').where('doc', 'in', chunk);
    for (const { topic_id } of await about.execute()) topics.add(topic_id);
  }
  return { entities: [...entities], facts: [...facts], topics: [...topics] };
}

/**
 * Removes those of these records that no version supports any more.
 * @param evenWritten also records that a person corrected or deleted: for erasing text
 * @returns the ids of those removed, and the ids of merges between the names of removed topics
 */
export async function removeUnsupported(
  db: UserDatabase,
  keywords: KeywordWriter,
  { entities, facts, topics }: DerivedIds,
  evenWritten: boolean,
): Promise<DerivedIds> {
  return {
    facts: await removeUnsupportedFacts(db, keywords, facts, evenWritten),
    entities: await removeUnmentionedEntities(db, entities, evenWritten),
    topics: topics.length > 0 ? await removeUnusedTopics(db, topics) : [],
  };
}
