import type { UserDatabase } from '../core/user-database.ts';

/** Takes away what an LLM proposed of a text that a memory no longer has; what it proposed of later texts goes with their versions. */
export async function removeProposedTo({ tables }: UserDatabase, memoryId: string): Promise<void> {
  await tables
    .deleteFrom('edge_candidates')
    .where('target_id', '=', memoryId)
    .where('creation_method', '=', 'auto-llm')
    .execute();
}
