import type { ExpressionBuilder } from 'kysely';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { type Reads, related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { removeUnusedTopics } from '../topics/unused-topics.ts';

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

/**
 * Removes the facts that no version or memory states any
 * more, live or in the trash. Facts stated only by hand stay.
 * @param evenWritten also removes facts that a person corrected or deleted
 * @returns ids of the removed facts
 */
async function removeUnsupportedFacts(
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
async function removeUnmentionedEntities(
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

/** Maximum rows of one search, by kind. */
const rowsMax = 500;

/**
 * Imported entities, facts and topics that no imported memory supports after it was derived again:
 * erasing a memory does not reach them. Empty while memories of the user wait to be derived.
 */
export async function leftoversOf({ tables }: UserDatabase): Promise<DerivedIds> {
  const waiting = await tables
    .selectFrom('jobs')
    .select('doc')
    .where('step', '=', deriveStepKey.name)
    .where('due_at', 'is not', null)
    .limit(1)
    .execute();
  if (waiting.length > 0) return { entities: [], facts: [], topics: [] };
  const entities = tables
    .selectFrom('entities')
    .select('entities.id')
    .where((eb) =>
      eb.not(
        eb.exists(
          related(eb, 'entity_mentions', 'entities.id', 'entity_id').select('entity_mentions.entity_id'),
        ),
      ),
    );
  const facts = tables
    .selectFrom('facts')
    .select('facts.id')
    .where('facts.fact_key', 'is not', null)
    .where((eb) =>
      eb.not(eb.exists(related(eb, 'fact_mentions', 'facts.id', 'fact_id').select('fact_mentions.doc'))),
    );
  const topics = tables
    .selectFrom('topics')
    .select('topics.id')
    .where((eb) =>
      eb.not(
        eb.or([
          eb.exists(related(eb, 'derived_topics', 'topics.id', 'topic_id').select('derived_topics.doc')),
          eb.exists(related(eb, 'memory_topics', 'topics.id', 'topic_id').select('memory_topics.memory_id')),
        ]),
      ),
    );
  return {
    entities: (await entities.limit(rowsMax).execute()).map(({ id }) => id),
    facts: (await facts.limit(rowsMax).execute()).map(({ id }) => id),
    topics: (await topics.limit(rowsMax).execute()).map(({ id }) => id),
  };
}
