import type { ProposedVersion } from '../../../domain/derivation/derivation-store.ts';
import type { Veto, VetoKind } from '../../../domain/derivation/derived.ts';
import { vetoKeyOf } from '../../../domain/derivation/vetoes.ts';
import type { EntityType } from '../../../domain/entities/entity.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { proposedBy } from './entity-rows.ts';
import type { DerivedIds } from './unsupported.ts';

/** The vetoes of an LLM on derived records, by version. */
export async function vetoesOf(
  { tables }: UserDatabase,
  docs: readonly number[],
): Promise<ReadonlyMap<number, readonly Veto[]>> {
  const rows: { doc: number; kind: string; item_key: string }[] = [];
  for (const chunk of chunksOf(docs))
    rows.push(
      ...(await tables
        .selectFrom('vetoes')
        .select(['doc', 'kind', 'item_key'])
        .where('doc', 'in', chunk)
        .execute()),
    );
  const all = rows.map(({ doc, kind, item_key }) => ({ doc, kind: kind as VetoKind, key: item_key }));
  return groupBy(all, ({ doc }) => doc);
}

/** Replaces the vetoes of versions, and removes the mentions that they are about. @returns ids of the records mentioned */
export async function writeVetoes(
  db: UserDatabase,
  versions: readonly ProposedVersion[],
): Promise<DerivedIds> {
  const { tables } = db;
  for (const chunk of chunksOf(versions.map(({ doc }) => doc)))
    await tables.deleteFrom('vetoes').where('doc', 'in', chunk).execute();
  const rows = versions.flatMap(({ doc, proposals }) =>
    proposals.vetoes.map(({ kind, key }) => ({ doc, kind, item_key: key })),
  );
  for (const chunk of chunksOf(rows)) await tables.insertAll('vetoes', chunk).execute();
  const gone = { entities: new Set<string>(), facts: new Set<string>(), topics: new Set<string>() };
  for (const { doc, proposals } of versions) {
    const keys = (of: VetoKind) =>
      new Set(proposals.vetoes.filter(({ kind }) => kind === of).map(({ key }) => key));
    for (const id of await removeEntities(db, doc, keys('entity'))) gone.entities.add(id);
    for (const id of await removeFacts(db, doc, keys('fact'))) gone.facts.add(id);
    for (const id of await removeTopics(db, doc, keys('topic'))) gone.topics.add(id);
  }
  return { entities: [...gone.entities], facts: [...gone.facts], topics: [...gone.topics] };
}

type Keys = ReadonlySet<string>;

/** A name that a person corrected stays. */
async function removeEntities({ tables }: UserDatabase, doc: number, keys: Keys): Promise<string[]> {
  if (keys.size === 0) return [];
  const rows = await tables
    .selectFrom('entity_mentions')
    .$call(join('entities', 'entity_mentions.entity_id'))
    .select(['entities.id', 'entities.name_key', 'entities.found_type'])
    .where('entity_mentions.doc', '=', doc)
    .where('entity_mentions.found_by', '!=', proposedBy.entity)
    .where('entities.corrected', '=', 0)
    .execute();
  const ids = rows
    .filter(({ name_key, found_type }) =>
      keys.has(vetoKeyOf.entity({ key: name_key, type: found_type as EntityType })),
    )
    .map(({ id }) => id);
  for (const chunk of chunksOf(ids))
    await tables
      .deleteFrom('entity_mentions')
      .where('doc', '=', doc)
      .where('entity_id', 'in', chunk)
      .execute();
  return ids;
}

/** A fact that a person corrected or deleted stays as decided. */
async function removeFacts({ tables }: UserDatabase, doc: number, keys: Keys): Promise<string[]> {
  if (keys.size === 0) return [];
  const rows = await tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['facts.id', 'facts.fact_key'])
    .where('fact_mentions.doc', '=', doc)
    .where('fact_mentions.basis', '!=', proposedBy.fact)
    .where('facts.corrected', '=', 0)
    .where('facts.trashed_at', 'is', null)
    .execute();
  const ids = rows.filter(({ fact_key }) => fact_key !== null && keys.has(fact_key)).map(({ id }) => id);
  for (const chunk of chunksOf(ids))
    await tables.deleteFrom('fact_mentions').where('doc', '=', doc).where('fact_id', 'in', chunk).execute();
  return ids;
}

async function removeTopics({ tables }: UserDatabase, doc: number, keys: Keys): Promise<string[]> {
  if (keys.size === 0) return [];
  const rows = await tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .select(['topics.id', 'topics.normalized_name'])
    .where('derived_topics.doc', '=', doc)
    .execute();
  const ids = rows.filter(({ normalized_name }) => keys.has(normalized_name)).map(({ id }) => id);
  for (const chunk of chunksOf(ids))
    await tables.deleteFrom('derived_topics').where('doc', '=', doc).where('topic_id', 'in', chunk).execute();
  return ids;
}
