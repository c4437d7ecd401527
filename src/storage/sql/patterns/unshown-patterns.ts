import { chunksOf } from '../../../lib/collections.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** Patterns with evidence or wording from these memories, for `removeUnshownPatterns`. */
export async function patternsOf({ tables }: UserDatabase, memoryIds: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const chunk of chunksOf(memoryIds)) {
    const shown = await tables
      .selectFrom('pattern_evidence')
      .select('pattern_id as id')
      .where('memory_id', 'in', chunk)
      .execute();
    const worded = await tables.selectFrom('patterns').select('id').where('worded_by', 'in', chunk).execute();
    for (const { id } of [...shown, ...worded]) ids.add(id);
  }
  return [...ids];
}

/**
 * Removes patterns without evidence, and patterns with the wording of an erased memory. A
 * pattern that a person edited stays with the person's wording, without that of the memory.
 * @param erased ids of the erased memories
 * @returns ids of the removed patterns
 */
export async function removeUnshownPatterns(
  { tables }: UserDatabase,
  ids: readonly string[],
  erased: readonly string[],
): Promise<string[]> {
  const isErased = new Set(erased);
  const gone: string[] = [];
  for (const chunk of chunksOf(ids)) {
    const rows = await tables
      .selectFrom('patterns')
      .select(['id', 'type', 'edited', 'worded_by', 'name', 'description'])
      .where('id', 'in', chunk)
      .execute();
    const shown = await tables
      .selectFrom('pattern_evidence')
      .select('pattern_id')
      .distinct()
      .where('pattern_id', 'in', chunk)
      .execute();
    const isShown = new Set(shown.map(({ pattern_id }) => pattern_id));
    for (const row of rows) {
      const losesWords = row.worded_by !== null && isErased.has(row.worded_by);
      if (row.edited === '' && (losesWords || !isShown.has(row.id))) gone.push(row.id);
      else if (losesWords) await blankWords(tables, row);
    }
  }
  for (const chunk of chunksOf(gone)) await tables.deleteFrom('patterns').where('id', 'in', chunk).execute();
  return gone;
}

interface Worded {
  readonly id: string;
  readonly type: string;
  readonly edited: string;
  readonly name: string;
  readonly description: string;
}

async function blankWords(tables: UserDatabase['tables'], row: Worded): Promise<void> {
  const edited = row.edited.split(',');
  const words = {
    name: edited.includes('name') ? row.name : row.type,
    description: edited.includes('description') ? row.description : '',
    // The id contains no text of a memory, and keeps the key unique.
    pattern_key: row.id,
    owner: '',
    target: '',
    against: null,
    context: null,
    worded_by: null,
  };
  await tables.updateTable('patterns').set(words).where('id', '=', row.id).execute();
}
