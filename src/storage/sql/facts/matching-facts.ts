import { hash } from 'node:crypto';
import type { FactFilter, FactListQuery } from '../../../domain/facts/fact.ts';
import { comparePositions, type OrderPart } from '../../../domain/shared/cursor.ts';
import type { Position } from '../../../domain/shared/page.ts';
import { MINUTE_MS } from '../../../domain/shared/time.ts';
import { chunksOf, sortInTurns } from '../../../lib/collections.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import { nameKey } from '../../../lib/names.ts';
import { rangesOfFacts } from '../core/counts.ts';
import { join } from '../core/joins.ts';
import type { Count, UserDatabase } from '../core/user-database.ts';
import { saidByMemory, visibleFacts } from './visible-facts.ts';

type Filter = FactFilter & Pick<FactListQuery, 'currentAt' | 'sortBy' | 'order'>;

/** A fact that a list shows, with its place there. */
export interface PlacedFact {
  readonly id: string;
  readonly place: Position;
}

interface Row {
  readonly id: string;
  readonly doc: number;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly created_at: number;
}

const idsAtOnce = 500;

export const placesOfFacts = ({ order }: Pick<Filter, 'order'>) => ({
  positionOf: ({ place }: PlacedFact): Position => place,
  by: [
    { order, part: 'number' },
    { order, part: 'integer' },
  ] as readonly OrderPart[],
});

/**
 * The facts of a filter in their order: one pass over the facts, or over those of the entity or memory,
 * in pieces with other work between. Texts are compared here, because `lower` of SQLite knows ASCII alone.
 */
export function matchingFacts(filter: Filter): Count<readonly PlacedFact[]> {
  const { currentAt, ...rest } = filter;
  const minute = currentAt === undefined ? undefined : Math.floor(currentAt / MINUTE_MS);
  return {
    name: `facts of ${hash('sha256', JSON.stringify({ ...rest, minute }), 'base64url')}`,
    of: async (db) => {
      const isMeant = textTest(filter);
      const found: PlacedFact[] = [];
      for await (const rows of candidates(db, filter)) {
        const meant = rows.filter(isMeant);
        const visible = await visibleAmong(db, meant, currentAt);
        for (const row of meant)
          if (visible.has(row.id)) found.push({ id: row.id, place: placeOf(row, filter) });
      }
      const { by } = placesOfFacts(filter);
      return sortInTurns(found, (a, b) => comparePositions(a.place, b.place, by));
    },
  };
}

const placeOf = (row: Row, { sortBy }: Filter): Position => [
  sortBy === 'confidence' ? row.confidence : row.created_at,
  row.doc,
];

function textTest({ subject, q }: FactFilter): (row: Row) => boolean {
  const about = subject === undefined ? undefined : nameKey(subject);
  const part = q === undefined ? undefined : nameKey(q);
  return (row) =>
    (about === undefined || nameKey(row.subject) === about) &&
    (part === undefined || nameKey(`${row.subject} ${row.predicate} ${row.object}`).includes(part));
}

/** Facts outside the trash that the columns of the filter let pass, in pieces. */
async function* candidates(db: UserDatabase, filter: FactFilter): AsyncGenerator<readonly Row[]> {
  const { entityId, memoryId, minConfidence, externalId } = filter;
  let rows = db.tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .select(['facts.id', 'facts.doc', 'facts.subject', 'facts.predicate', 'facts.object'])
    .select(['facts.confidence', 'facts.created_at']);
  if (minConfidence !== undefined) rows = rows.where('facts.confidence', '>=', minConfidence);
  if (externalId !== undefined) rows = rows.where('facts.external_id', '=', externalId);
  if (entityId === undefined && memoryId === undefined) {
    for await (const { after, until } of rangesOfFacts(db))
      yield await rows.where('facts.doc', '>', after).where('facts.doc', '<=', until).execute();
    return;
  }
  for (const ids of chunksOf(await idsOf(db, filter), idsAtOnce)) {
    yield await rows.where('facts.id', 'in', ids).execute();
    await otherWork();
  }
}

/** Ids of the facts of an entity, a memory or both. */
async function idsOf(db: UserDatabase, { entityId, memoryId }: FactFilter): Promise<readonly string[]> {
  const ofMemory = memoryId === undefined ? undefined : await factsOfMemory(db, memoryId);
  if (entityId === undefined) return ofMemory ?? [];
  const ofEntity = new Set(await factsOfEntity(db, entityId));
  return ofMemory?.filter((id) => ofEntity.has(id)) ?? [...ofEntity];
}

async function factsOfMemory({ tables }: UserDatabase, memoryId: string): Promise<string[]> {
  const stated = tables.selectFrom('fact_sources').select('fact_id').where('memory_id', '=', memoryId);
  const rows = [...(await stated.execute()), ...(await saidByMemory(tables, memoryId).execute())];
  return [...new Set(rows.map(({ fact_id }) => fact_id))];
}

async function factsOfEntity({ tables }: UserDatabase, entityId: string): Promise<string[]> {
  const rows = await tables
    .selectFrom('entities')
    .$call(join('entities as part', 'entities.canonical_id', 'canonical_id'))
    .$call(join('fact_entities', 'part.id', 'entity_id'))
    .where('entities.id', '=', entityId)
    .select('fact_entities.fact_id')
    .distinct()
    .execute();
  return rows.map(({ fact_id }) => fact_id);
}

async function visibleAmong(
  { tables }: UserDatabase,
  rows: readonly Row[],
  currentAt: number | undefined,
): Promise<ReadonlySet<string>> {
  const visible = new Set<string>();
  const ids = rows.map(({ id }) => id);
  for (const some of chunksOf(ids, idsAtOnce)) {
    const found = visibleFacts(tables, currentAt).where('facts.id', 'in', some).select('facts.id');
    for (const { id } of await found.execute()) visible.add(id);
  }
  return visible;
}
