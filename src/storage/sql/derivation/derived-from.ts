import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import { removeUnusedTopics } from '../topics/unused-topics.ts';
import { removeUnmentionedEntities, removeUnsupportedFacts } from './unsupported.ts';

/** Ids of what versions say. */
export interface DerivedIds {
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly topics: readonly string[];
}

/** What was derived from these versions. */
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
 * Removes what of this no version says any more.
 * @param evenWritten also what a person corrected or deleted: when text is erased
 * @returns what is gone; of topics, the merges between their names as well
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
