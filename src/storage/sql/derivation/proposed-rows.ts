import type { FactBasis, FoundBy } from '../../../domain/derivation/derived.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { DerivedIds } from './derived-from.ts';

/** Values that mark a row as proposed by an LLM. */
export const proposedBy = { entity: 'llm', fact: 'inferred' } as const satisfies {
  readonly entity: FoundBy;
  readonly fact: FactBasis;
};

/** Removes the proposals of an LLM for these versions, except for the entities and facts themselves. */
export async function removeProposals(
  { tables }: UserDatabase,
  docs: readonly number[],
): Promise<DerivedIds> {
  const [entities, facts] = [new Set<string>(), new Set<string>()];
  for (const chunk of chunksOf(docs)) {
    const mentions = tables
      .deleteFrom('entity_mentions')
      .where('doc', 'in', chunk)
      .where('found_by', '=', proposedBy.entity)
      .returning('entity_id');
    for (const { entity_id } of await mentions.execute()) entities.add(entity_id);
    const said = tables
      .deleteFrom('fact_mentions')
      .where('doc', 'in', chunk)
      .where('basis', '=', proposedBy.fact)
      .returning('fact_id');
    for (const { fact_id } of await said.execute()) facts.add(fact_id);
  }
  return { entities: [...entities], facts: [...facts], topics: [] };
}
