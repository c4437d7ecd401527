import type { ExpressionBuilder } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import { type Reads, related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';

/**
 * Removes those of these facts that no version or memory states any
 * more, live or in the trash. Facts that were stated by hand alone stay.
 * @param evenWritten also facts that a person corrected or deleted
 * @returns the ids of those removed
 */
export async function removeUnsupportedFacts(
  db: UserDatabase,
  keywords: KeywordWriter,
  ids: readonly string[],
  evenWritten: boolean,
): Promise<string[]> {
  const gone: string[] = [];
  for (const chunk of chunksOf(ids)) {
    let unsupported = db.tables
      .selectFrom('facts')
      .select('facts.id')
      .where('facts.id', 'in', chunk)
      .where('facts.sourced', '=', 1)
      .where((eb) =>
        eb.not(eb.exists(related(eb, 'fact_mentions', 'facts.id', 'fact_id').select('fact_mentions.doc'))),
      )
      .where((eb) =>
        eb.not(
          eb.exists(related(eb, 'fact_sources', 'facts.id', 'fact_id').select('fact_sources.memory_id')),
        ),
      );
    if (!evenWritten)
      unsupported = unsupported.where('facts.corrected', '=', 0).where('facts.trashed_at', 'is', null);
    const found = (await unsupported.execute()).map(({ id }) => id);
    if (found.length === 0) continue;
    const rows = await db.tables.deleteFrom('facts').where('id', 'in', found).returning('doc').execute();
    await keywords.erase(rows.map(({ doc }) => doc));
    gone.push(...found);
  }
  return gone;
}

/**
 * Removes those of these entities that no version mentions any more,
 * live or in the trash, unless a person merged another name into them.
 * @returns the ids of those removed
 */
export async function removeUnmentionedEntities(
  db: UserDatabase,
  ids: readonly string[],
  evenWritten: boolean,
): Promise<string[]> {
  const gone: string[] = [];
  for (const chunk of chunksOf(ids)) {
    let unmentioned = db.tables
      .selectFrom('entities')
      .select('entities.id')
      .where('entities.id', 'in', chunk)
      .where((eb) =>
        eb.not(
          eb.exists(related(eb, 'entity_mentions', 'entities.id', 'entity_id').select('entity_mentions.doc')),
        ),
      );
    if (!evenWritten)
      unmentioned = unmentioned
        .where('entities.corrected', '=', 0)
        .where('entities.trashed_at', 'is', null)
        .where('entities.merged_by', 'is', null)
        .where((eb) => eb.not(eb.exists(mergedByPerson(eb))));
    const found = (await unmentioned.execute()).map(({ id }) => id);
    if (found.length === 0) continue;
    await giveUpMerges(db, found);
    await db.tables.deleteFrom('entities').where('id', 'in', found).execute();
    gone.push(...found);
  }
  return gone;
}

/** Entities that a person merged into this one: the decision keeps it. */
const mergedByPerson = (eb: ExpressionBuilder<Reads<'entities'>, 'entities'>) =>
  related(eb, 'entities as alias', 'entities.id', 'canonical_id')
    .whereRef('alias.id', '<>', 'entities.id')
    .where('alias.merged_by', '=', 'person')
    .select('alias.id');

/** Makes the aliases of entities that are removed entities of their own again. */
async function giveUpMerges({ tables }: UserDatabase, ids: readonly string[]): Promise<void> {
  const aliases = await tables
    .selectFrom('entities')
    .select('id')
    .where('canonical_id', 'in', ids)
    .where('id', 'not in', ids)
    .execute();
  for (const { id } of aliases)
    await tables
      .updateTable('entities')
      .set({ canonical_id: id, merged_by: null })
      .where('id', '=', id)
      .execute();
}
