import type { UserDatabase } from '../core/user-database.ts';

/**
 * Removes an LLM's proposals that are based on the former text of a
 * memory; those based on later texts are removed with their versions.
 */
export async function removeProposedTo({ tables }: UserDatabase, memoryId: string): Promise<void> {
  await tables
    .deleteFrom('edge_candidates')
    .where('target_id', '=', memoryId)
    .where('creation_method', '=', 'auto-llm')
    .execute();
}
