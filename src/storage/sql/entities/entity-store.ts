import { sql } from 'kysely';
import type { ChangeAction } from '../../../domain/changes/change.ts';
import type {
  DerivedScope,
  DerivedTotals,
  Entity,
  EntityCount,
  EntityListQuery,
  EntityNaming,
  EntityOfMemory,
  EntityReader,
  EntityRow,
  EntityType,
  EntityWriter,
  MentioningVersion,
  MentionTotals,
  MergedBy,
} from '../../../domain/entities/entity.ts';
import { pageOfList } from '../../../domain/shared/cursor.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { pauseAfter } from '../../../lib/loop-time.ts';
import { nameKey } from '../../../lib/names.ts';
import { nextRev } from '../core/change-counter.ts';
import type { EntitiesTable } from '../core/derived-tables.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { nextEpoch } from '../upkeep/rewrite-documents.ts';
import {
  derivedTotals,
  entityPlaces,
  type MentionTally,
  memoriesWithEntities,
  mentionedEntities,
  orderedEntities,
} from './entity-counts.ts';
import {
  countsInVersions,
  type EntityRecord,
  liveMentions,
  type NameRow,
  namesOfEntities,
  type ShownRow,
  shownIn,
  toEntity,
} from './entity-rows.ts';

/** Entities whose names are read in one statement: an entity may have thousands of mentions. */
const namedAtOnce = 10;

const canonicalOf = new UserQuery((tables, { id }: { id: string }) =>
  tables.selectFrom('entities').select('canonical_id').where('id', '=', id),
);

const byId = new UserQuery<{ id: string }, ShownRow>((tables, { id }) =>
  shownIn(liveMentions(tables).where('entities.canonical_id', '=', id)),
);

const recordsOf = listQuery<string, EntityRecord>((tables, ids) =>
  tables
    .selectFrom('entities')
    .where('id', 'in', ids)
    .select(['id', 'name', 'name_key', 'type', 'found_type', 'corrected', 'created_at', 'updated_at']),
);

/** Versions read at once: some milliseconds. */
const docsAtOnce = 5000;
const docsAfter = new UserQuery<{ id: string; after: number }, { doc: number }>((tables, { id, after }) =>
  tables
    .selectFrom('entity_mentions')
    .where('entity_id', '=', id)
    .where('doc', '>', after)
    .orderBy('doc')
    .limit(docsAtOnce)
    .select('doc'),
);

const partsOf = new UserQuery<{ id: string }, { id: string }>((tables, { id }) =>
  tables.selectFrom('entities').where('canonical_id', '=', id).select('id'),
);

const namesOf = listQuery<string, NameRow>(namesOfEntities);

const newestFirst: readonly SortColumn[] = [{ column: 'memories.seq', order: 'desc', part: 'integer' }];

interface OfVersionRow extends EntityOfMemory {
  readonly doc: number;
  readonly start_at: number;
  readonly end_at: number;
}

const ofVersions = listQuery<number, OfVersionRow>((tables, docs) =>
  tables
    .selectFrom('entity_mentions')
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('entity_mentions.doc', 'in', docs)
    .where('shown.trashed_at', 'is', null)
    .select(['entity_mentions.doc', 'shown.id', 'shown.name', 'shown.type'])
    .select(['entity_mentions.start_at', 'entity_mentions.end_at'])
    .select(
      sql<number>`CASE WHEN shown.corrected = 1 THEN 1 ELSE entity_mentions.confidence END`.as('confidence'),
    ),
);

export class SqlEntityReader extends UserRecords implements EntityReader {
  async find(id: string): Promise<Entity | undefined> {
    const row = await this.db.first(byId, { id: await this.#canonicalOf(id) });
    return row && (await this.#withNames([row]))[0];
  }

  async list({ type, name, sortBy, order, ...request }: EntityListQuery): Promise<Page<Entity>> {
    let tallies = await this.db.counted(orderedEntities({ sortBy, order }));
    if (type !== undefined) tallies = tallies.filter((tally) => tally.type === type);
    if (name !== undefined) {
      const found = await named(this.db.tables, name).select('canonical_id').execute();
      const ids = new Set(found.map(({ canonical_id }) => canonical_id));
      tallies = tallies.filter(({ id }) => ids.has(id));
    }
    const page = pageOfList(tallies, request, entityPlaces({ sortBy, order }));
    return { ...page, items: await this.#withNames(await this.#rowsOf(page.items)) };
  }

  async listMentions(id: string, request: PageRequest): Promise<Page<MentioningVersion>> {
    const canonical = await this.#canonicalOf(id);
    const rows = liveMentions(this.db.tables).where('entities.canonical_id', '=', canonical);
    const read = rows
      .groupBy(['entity_mentions.doc', 'memories.seq'])
      .select(['entity_mentions.doc', 'memories.seq'])
      .select(sql<number>`max(entity_mentions.confidence)`.as('confidence'));
    const counting = sql<number>`count(DISTINCT entity_mentions.doc)`;
    return pageOf(rows, read, { by: newestFirst, request, counting });
  }

  async docsMentioning(id: string): Promise<number[]> {
    const docs = new Set<number>();
    for (const part of await this.db.all(partsOf, { id: await this.#canonicalOf(id) }))
      for (let after: number | undefined = -1; after !== undefined; ) {
        const rows: readonly { doc: number }[] = await this.db.all(docsAfter, { id: part.id, after });
        for (const { doc } of rows) docs.add(doc);
        after = rows.length < docsAtOnce ? undefined : rows.at(-1)?.doc;
        await pauseAfter();
      }
    return [...docs];
  }

  async listByVersions(docs: readonly number[]): Promise<Map<number, EntityOfMemory[]>> {
    const found = new Map<number, EntityOfMemory[]>();
    for (const chunk of chunksOf(docs)) {
      const rows = await this.db.all(ofVersions(chunk.length), listArguments(chunk));
      for (const [doc, mentioned] of groupBy(rows, (row) => row.doc))
        found.set(doc, eachOnce(mentioned.sort(inOrderOfText)).map(toEntityOfMemory));
    }
    return found;
  }

  async countByVersions(docs: readonly number[]): Promise<EntityCount[]> {
    if (docs.length === 0) return [];
    const rows = await this.db.all(countsInVersions(docs.length), listArguments(docs));
    return rows.map(({ id, name, count }) => ({ id, name, count: Number(count) }));
  }

  async totals(): Promise<MentionTotals> {
    const entities = await this.db.counted(mentionedEntities);
    const memories = await this.db.counted(memoriesWithEntities);
    return { entities: entities.count, memoriesWithEntities: memories.count };
  }

  derivedTotals(scope: DerivedScope): Promise<DerivedTotals> {
    return derivedTotals(this.db, scope);
  }

  async #rowsOf(tallies: readonly MentionTally[]): Promise<ShownRow[]> {
    const rows = new Map<string, EntityRecord>();
    for (const chunk of chunksOf(tallies.map(({ id }) => id)))
      for (const row of await this.db.all(recordsOf(chunk.length), listArguments(chunk)))
        rows.set(row.id, row);
    return tallies.flatMap((tally) => {
      const row = rows.get(tally.id);
      return row ? [{ ...tally, ...row }] : [];
    });
  }

  async #withNames(rows: readonly ShownRow[]): Promise<Entity[]> {
    const names: NameRow[] = [];
    for (const chunk of chunksOf(
      rows.map(({ id }) => id),
      namedAtOnce,
    ))
      names.push(...(await this.db.all(namesOf(chunk.length), listArguments(chunk))));
    const byEntity = groupBy(names, (row) => row.shown_id);
    return rows.map((row) => toEntity(row, byEntity.get(row.id) ?? []));
  }

  /** The entity that is shown for this one; `id` itself if there is no such entity. */
  async #canonicalOf(id: string): Promise<string> {
    return (await this.db.first(canonicalOf, { id }))?.canonical_id ?? id;
  }
}

/** Entities with a name that contains `part`, in texts or as a person wrote it. */
function named(tables: UserTables, part: string) {
  const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return tables
    .selectFrom('entities')
    .where(
      sql<boolean>`(name_key LIKE ${containing(nameKey(part))} ESCAPE '\\' OR lower(name) LIKE ${containing(part.toLowerCase())} ESCAPE '\\')`,
    );
}

/** A name given with the text, but not in it, has no place and comes first. */
const inOrderOfText = (a: OfVersionRow, b: OfVersionRow) =>
  a.start_at - b.start_at || (a.name < b.name ? -1 : 1);

/** An entity that is mentioned by several names of merged ones has the place of the first, and the best confidence. */
function eachOnce(mentioned: readonly OfVersionRow[]): OfVersionRow[] {
  const shown = new Map<string, OfVersionRow>();
  for (const row of mentioned) {
    const first = shown.get(row.id);
    const isPlaced = first !== undefined && first.end_at > 0;
    const place = isPlaced ? first : row;
    const confidence = Math.max(row.confidence, first?.confidence ?? 0);
    shown.set(row.id, { ...(first ?? row), confidence, start_at: place.start_at, end_at: place.end_at });
  }
  return [...shown.values()];
}

const toEntityOfMemory = (row: OfVersionRow): EntityOfMemory => ({
  id: row.id,
  name: row.name,
  type: row.type as EntityType,
  confidence: row.confidence,
  ...(row.end_at > 0 && { start: row.start_at, end: row.end_at }),
});

type Columns = Partial<Omit<EntitiesTable, 'user_id' | 'id'>>;

const rowColumns = [
  'id',
  'name',
  'type',
  'found_type as foundType',
  'canonical_id as canonicalId',
  'merged_by as mergedBy',
  'trashed_at as trashedAt',
] as const;

export class SqlEntityWriter extends SqlEntityReader implements EntityWriter {
  async findRow(id: string): Promise<EntityRow | undefined> {
    return this.db.tables
      .selectFrom('entities')
      .select(rowColumns)
      .where('id', '=', id)
      .$castTo<EntityRow>()
      .executeTakeFirst();
  }

  async foundName(id: string): Promise<string | undefined> {
    const first = await this.db.tables
      .selectFrom('entity_mentions')
      .select('name')
      .where('entity_id', '=', id)
      .orderBy('doc')
      .limit(1)
      .executeTakeFirst();
    return first?.name;
  }

  async membersOf(id: string): Promise<EntityRow[]> {
    return this.db.tables
      .selectFrom('entities')
      .select(rowColumns)
      .where('canonical_id', '=', id)
      .$castTo<EntityRow>()
      .execute();
  }

  rename(id: string, { name, type, isCorrected }: EntityNaming, at: number): Promise<void> {
    const known = isCorrected ? { is_certain: 1 } : {};
    return this.#set([id], { name, type, corrected: isCorrected ? 1 : 0, updated_at: at, ...known });
  }

  redirect(ids: readonly string[], canonicalId: string): Promise<void> {
    return this.#set(ids, { canonical_id: canonicalId });
  }

  setMergedBy(id: string, mergedBy: MergedBy, at: number): Promise<void> {
    return this.#set([id], { merged_by: mergedBy, updated_at: at });
  }

  trash(id: string, at: number): Promise<void> {
    return this.#set([id], { trashed_at: at }, 'deleted');
  }

  restore(id: string): Promise<void> {
    return this.#set([id], { trashed_at: null }, 'restored');
  }

  async erase(id: string): Promise<void> {
    await this.db.tables
      .updateTable('entities')
      .set((eb) => ({ name: eb.ref('name_key'), type: eb.ref('found_type'), corrected: 0 }))
      .where('id', '=', id)
      .where('trashed_at', 'is not', null)
      .execute();
    await nextEpoch(this.db);
  }

  async #set(ids: readonly string[], columns: Columns, action: ChangeAction = 'changed'): Promise<void> {
    const changed = ids.map((id) => ({ kind: 'entity', action, id }) as const);
    await nextRev(this.db, { documents: 0, terms: 0 }, ...changed);
    await this.db.tables.updateTable('entities').set(columns).where('id', 'in', ids).execute();
  }
}
