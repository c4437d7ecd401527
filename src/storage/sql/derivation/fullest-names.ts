import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import type { EntitiesTable } from '../core/derived-tables.ts';
import type { UserDatabase } from '../core/user-database.ts';

const columns = ['id', 'name', 'canonical_id', 'merged_by', 'corrected', 'is_certain', 'trashed_at'] as const;
type Member = Pick<EntitiesTable, (typeof columns)[number]>;

const lettersOf = (name: string) => name.replace(/[^\p{L}]/gu, '').length;
const byFullness = (a: Member, b: Member) =>
  a.name.split(' ').length - b.name.split(' ').length || lettersOf(a.name) - lettersOf(b.name);

/**
 * Shows people under the fullest of their certain names: Melanie, although `Mel` was met first. What a person merged,
 * corrected or deleted stays as it is.
 * @param ids of entities whose people may have a new name
 */
export async function showFullestNames(
  { tables }: UserDatabase,
  ids: readonly string[],
  at: EpochMs,
): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    const shown = tables.selectFrom('entities').select('canonical_id').where('id', 'in', chunk);
    const people = tables.selectFrom('entities').select(columns).where('type', '=', 'PERSON');
    const members: Member[] = await people.where('canonical_id', 'in', shown).execute();
    for (const [id, names] of groupBy(members, (member) => member.canonical_id)) {
      const best = fullestOf(names, id);
      if (!best || best.id === id) continue;
      const update = tables.updateTable('entities');
      await update.set({ canonical_id: best.id }).where('canonical_id', '=', id).execute();
      await update.set({ merged_by: 'rule', updated_at: at }).where('id', '=', id).execute();
      await update.set({ merged_by: null, updated_at: at }).where('id', '=', best.id).execute();
    }
  }
}

function fullestOf(names: readonly Member[], shown: string): Member | undefined {
  const isDecided = ({ corrected, merged_by, trashed_at }: Member) =>
    corrected === 1 || merged_by === 'person' || trashed_at !== null;
  if (names.length < 2 || names.some(isDecided)) return undefined;
  const certain = names.filter(({ id, is_certain }) => id === shown || is_certain === 1);
  return certain.toSorted((a, b) => byFullness(b, a) || Number(b.id === shown) - Number(a.id === shown))[0];
}
