import { randomUUID } from 'node:crypto';
import type { DerivedEntity, FactBasis, FoundBy } from '../../../domain/derivation/derived.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { EntitiesTable } from '../core/derived-tables.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** Values that mark a row as proposed by an LLM. */
export const proposedBy = { entity: 'llm', fact: 'inferred' } as const satisfies {
  readonly entity: FoundBy;
  readonly fact: FactBasis;
};

type EntityRow = Pick<EntitiesTable, 'id' | 'name_key' | 'type' | 'found_type' | 'corrected' | 'is_certain'>;

const byKeys = listQuery<string, EntityRow>((tables, keys) =>
  tables
    .selectFrom('entities')
    .select(['id', 'name_key', 'type', 'found_type', 'corrected', 'is_certain'])
    .where('name_key', 'in', keys),
);

/** Key by which rows of entities are found. */
const identity = (key: string, type: string) => `${type} ${key}`;

/** Ids of entities by the name and type that texts give them. */
export interface EntityIds {
  of(entity: DerivedEntity): string;
  /** Undefined for an entity that has no row and was not to get one. */
  find(entity: DerivedEntity): string | undefined;
  /** Each once. */
  readonly all: readonly string[];
  /** Ids of entities whose names became certain in this call. */
  readonly newlyCertain: ReadonlySet<string>;
}

/**
 * Finds the rows of all these entities, inserts those that are missing, and marks those that became certain.
 * @param isMade whether an entity that has no row gets one
 */
export async function entityIds(
  db: UserDatabase,
  entities: readonly DerivedEntity[],
  at: EpochMs,
  isMade: (entity: DerivedEntity) => boolean = () => true,
): Promise<EntityIds> {
  const first = new Map<string, DerivedEntity>();
  const certain = new Set<string>();
  for (const entity of entities) {
    const key = identity(entity.key, entity.type);
    if (!first.has(key)) first.set(key, entity);
    if (entity.isCertain) certain.add(key);
  }
  const rows = await rowsOf(db, [...new Set([...first.values()].map(({ key }) => key))]);
  const ids = new Map<string, string>();
  const fresh: [string, DerivedEntity][] = [];
  const raised: string[] = [];
  for (const [key, entity] of first) {
    const row = rows.get(key);
    if (!row && !isMade(entity)) continue;
    if (!row) fresh.push([key, entity]);
    else if (row.is_certain === 0 && certain.has(key)) raised.push(row.id);
    ids.set(key, row?.id ?? randomUUID());
  }
  const idOf = (key: string) => {
    const id = ids.get(key);
    if (id === undefined) throw new Error('An entity was not written.');
    return id;
  };
  await insertEntities(
    db,
    await withCanonical(
      db,
      fresh.map(([key, entity]) => ({ id: idOf(key), entity, isCertain: certain.has(key) })),
      ids,
    ),
    at,
  );
  await raiseToCertain(db, raised, at);
  const newlyCertain = [...raised, ...fresh.filter(([key]) => certain.has(key)).map(([key]) => idOf(key))];
  return {
    of: ({ key, type }) => idOf(identity(key, type)),
    find: ({ key, type }) => ids.get(identity(key, type)),
    all: [...new Set(ids.values())],
    newlyCertain: new Set(newlyCertain),
  };
}

/** Rows by identity; a type given by a person takes precedence over the type given by derivation. */
async function rowsOf(db: UserDatabase, keys: readonly string[]): Promise<Map<string, EntityRow>> {
  const rows = new Map<string, EntityRow>();
  for (const chunk of chunksOf(keys)) {
    const found = await db.all(byKeys(chunk.length), listArguments(chunk));
    for (const row of found) rows.set(identity(row.name_key, row.found_type), row);
    for (const row of found) if (row.corrected === 1) rows.set(identity(row.name_key, row.type), row);
  }
  return rows;
}

interface NewEntity {
  readonly id: string;
  readonly entity: DerivedEntity;
  readonly isCertain: boolean;
}

/** Adds the entity that is shown for each: itself, or the entity it is an alias of if that still exists. */
async function withCanonical(
  db: UserDatabase,
  entities: readonly NewEntity[],
  ids: ReadonlyMap<string, string>,
): Promise<(NewEntity & { readonly canonicalId: string; readonly mergedBy: 'rule' | null })[]> {
  const targetOf = ({ alias }: DerivedEntity) => alias && (ids.get(alias.canonicalId) ?? alias.canonicalId);
  const there = new Set(ids.values());
  const targets = new Set(entities.flatMap(({ entity }) => targetOf(entity) ?? []));
  for (const chunk of chunksOf([...targets]))
    for (const { id } of await db.tables
      .selectFrom('entities')
      .select('id')
      .where('id', 'in', chunk)
      .execute())
      there.add(id);
  return entities.map((each) => {
    const target = targetOf(each.entity);
    const isAlias = target !== undefined && there.has(target) && target !== each.id;
    const mergedBy = isAlias && !each.entity.alias?.isSure ? 'rule' : null;
    return { ...each, canonicalId: isAlias ? target : each.id, mergedBy };
  });
}

async function insertEntities(
  db: UserDatabase,
  entities: Awaited<ReturnType<typeof withCanonical>>,
  at: EpochMs,
): Promise<void> {
  const rows = entities.map(({ id, entity, isCertain, canonicalId, mergedBy }) => ({
    id,
    name: entity.name,
    name_key: entity.key,
    type: entity.type,
    found_type: entity.type,
    canonical_id: canonicalId,
    merged_by: mergedBy,
    corrected: 0,
    is_certain: isCertain ? 1 : 0,
    created_at: at,
    updated_at: at,
    trashed_at: null,
  }));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('entities', chunk).execute();
}

async function raiseToCertain(db: UserDatabase, ids: readonly string[], at: EpochMs): Promise<void> {
  for (const chunk of chunksOf(ids))
    await db.tables
      .updateTable('entities')
      .set({ is_certain: 1, updated_at: at })
      .where('id', 'in', chunk)
      .execute();
}

/** Entities that a version mentions. */
interface EntitiesOfVersion {
  readonly doc: number;
  readonly entities: readonly DerivedEntity[];
}

/**
 * Writes which version mentions which entity. If the rules
 * and an LLM find the same mention, that of the rules stays.
 */
export async function insertEntityMentions(
  db: UserDatabase,
  versions: readonly EntitiesOfVersion[],
  ids: EntityIds,
): Promise<void> {
  // A type corrected by a person can make two entities of a text one.
  const rows = new Map(
    versions.flatMap(({ doc, entities }) =>
      entities.map((entity) => {
        const { name, start, end, mentions, confidence, foundBy } = entity;
        const id = ids.of(entity);
        const row = {
          entity_id: id,
          doc,
          name,
          start_at: start,
          end_at: end,
          mentions,
          confidence,
          found_by: foundBy,
        };
        return [`${id} ${doc}`, row] as const;
      }),
    ),
  );
  for (const chunk of chunksOf([...rows.values()]))
    await db.tables
      .insertAll('entity_mentions', chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'entity_id', 'doc'])
          .doUpdateSet(({ ref }) => ({
            name: ref('excluded.name'),
            start_at: ref('excluded.start_at'),
            end_at: ref('excluded.end_at'),
            mentions: ref('excluded.mentions'),
            confidence: ref('excluded.confidence'),
            found_by: ref('excluded.found_by'),
          }))
          .where('excluded.found_by', '!=', proposedBy.entity),
      )
      .execute();
}
