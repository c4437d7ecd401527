import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** What versions said when they were derived before. */
export interface FormerDerivation {
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly topics: readonly string[];
}

export const nothingFormer: FormerDerivation = { entities: [], facts: [], topics: [] };

/** Takes out what was derived from these versions, but for the entities, facts and topics themselves. */
export async function removeDerivation(
  { tables }: UserDatabase,
  docs: readonly number[],
): Promise<FormerDerivation> {
  const derived: number[] = [];
  for (const chunk of chunksOf(docs)) {
    const rows = await tables.deleteFrom('derivations').where('doc', 'in', chunk).returning('doc').execute();
    derived.push(...rows.map(({ doc }) => doc));
  }
  if (derived.length === 0) return nothingFormer;
  const [entities, facts, topics] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const chunk of chunksOf(derived)) {
    const mentions = tables.deleteFrom('entity_mentions').where('doc', 'in', chunk).returning('entity_id');
    for (const { entity_id } of await mentions.execute()) entities.add(entity_id);
    const said = tables.deleteFrom('fact_mentions').where('doc', 'in', chunk).returning('fact_id');
    for (const { fact_id } of await said.execute()) facts.add(fact_id);
    const about = tables.deleteFrom('derived_topics').where('doc', 'in', chunk).returning('topic_id');
    for (const { topic_id } of await about.execute()) topics.add(topic_id);
  }
  return { entities: [...entities], facts: [...facts], topics: [...topics] };
}
