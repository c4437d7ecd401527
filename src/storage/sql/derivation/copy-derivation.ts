import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { UserDatabase } from '../core/user-database.ts';

const derivedTables = [
  'entity_mentions',
  'fact_mentions',
  'derived_topics',
  'named_times',
  'edge_candidates',
] as const;

/**
 * Copies the derivation of a version to the next one, which has the same text,
 * so that nothing is missing until that is derived again. @returns false if the
 * version before is not derived, or was derived by an older version of the step
 */
export async function copyDerivation(
  { tables }: UserDatabase,
  before: number,
  doc: number,
): Promise<boolean> {
  const derivation = await tables
    .selectFrom('derivations')
    .select(['version', 'is_english', 'skip_reason', 'derived_at'])
    .where('doc', '=', before)
    .where('version', '=', deriveStepKey.version)
    .executeTakeFirst();
  if (!derivation) return false;
  await tables.insertInto('derivations', { ...derivation, doc }).execute();
  for (const table of derivedTables) {
    const rows = await tables
      .selectFrom(table as 'derived_topics')
      .selectAll(table as 'derived_topics')
      .where('doc', '=', before)
      .execute();
    const copies = rows.map((row) => ({ ...row, doc }));
    if (copies.length > 0) await tables.insertAll(table as 'derived_topics', copies).execute();
  }
  return true;
}
