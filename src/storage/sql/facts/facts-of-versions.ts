import { sql } from 'kysely';
import { type FactOfMemory, type FactsOfMemory, factsOfMemoryMax } from '../../../domain/facts/fact.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import type { FactWords } from '../../../domain/shared/text-indexer.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { type SaidRow, saidByVersions } from './visible-facts.ts';

interface StatedRow extends FactText {
  readonly id: string;
  readonly memory_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Facts for which a client named these memories as sources. */
const statedOf = listQuery<string, StatedRow>((tables, ids) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('facts', 'fact_sources.fact_id'))
    .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object', 'facts.confidence'])
    .select(['fact_sources.memory_id', 'facts.created_at', 'facts.updated_at'])
    .where('fact_sources.memory_id', 'in', ids)
    .where('facts.trashed_at', 'is', null)
    .orderBy('facts.doc'),
);

type Version = Pick<Memory, 'id' | 'doc'>;

/** See `FactReader.listByVersions`. */
export async function factsOfVersions(
  db: UserDatabase,
  versions: readonly Version[],
  asOf: EpochMs | undefined,
): Promise<Map<number, FactsOfMemory>> {
  const found = new Map<number, FactsOfMemory>();
  if (versions.length === 0) return found;
  const ids = [...new Set(versions.map(({ id }) => id))];
  const docs = [...new Set(versions.map(({ doc }) => doc))];
  const statedNow = await db.all(statedOf(ids.length), listArguments(ids));
  const saidNow = await db.all(saidByVersions(docs.length), listArguments(docs));
  const stated = groupBy(
    asOf === undefined ? statedNow : await statedAsOf(db, statedNow, asOf),
    (row) => row.memory_id,
  );
  const said = groupBy(asOf === undefined ? saidNow : await saidAsOf(db, saidNow, asOf), (row) => row.doc);
  for (const { id, doc } of versions) {
    const own = said.get(doc) ?? [];
    const facts = new Map((stated.get(id) ?? []).map((row) => [row.id, toStated(row)]));
    for (const row of own) facts.set(row.id, toSaid(row));
    const shown = [...facts.values()].sort((a, b) => b.confidence - a.confidence).slice(0, factsOfMemoryMax);
    if (shown.length > 0) found.set(doc, { shown, derived: own.length });
  }
  return found;
}

/** Facts whose words at `asOf` are known, with these words. */
async function statedAsOf(db: UserDatabase, rows: readonly StatedRow[], asOf: EpochMs): Promise<StatedRow[]> {
  const known = rows.filter((row) => row.created_at <= asOf);
  const edited = new Set(known.filter((row) => row.updated_at > asOf).map(({ id }) => id));
  const before = await factTextsAsOf(db, [...edited], asOf);
  return known.flatMap((row) => {
    const text = before.get(row.id);
    if (!edited.has(row.id)) return [row];
    return text ? [{ ...row, ...text }] : [];
  });
}

/**
 * Facts of versions do not change after the write, except
 * by a person's correction, which this undoes for `asOf`.
 */
async function saidAsOf(db: UserDatabase, rows: readonly SaidRow[], asOf: EpochMs): Promise<SaidRow[]> {
  const corrected = rows.filter((row) => row.corrected === 1 && row.updated_at > asOf).map(({ id }) => id);
  const before = await derivedTextsAsOf(db, [...new Set(corrected)], asOf);
  return rows.map((row) => {
    const text = before.get(row.id);
    return text ? { ...row, ...text } : row;
  });
}

const toStated = ({ id, subject, predicate, object, confidence }: StatedRow): FactOfMemory => ({
  id,
  subject,
  predicate,
  object,
  confidence,
  basis: null,
  isNegated: false,
});

function toSaid({ id, subject, predicate, object, confidence, ...row }: SaidRow): FactOfMemory {
  const isOwn = row.corrected === 0;
  return {
    id,
    subject,
    predicate,
    object,
    confidence,
    basis: isOwn ? row.basis : null,
    isNegated: isOwn && row.negated === 1,
    start: row.start_at,
    end: row.end_at,
  };
}

type FactText = FactWords & { readonly confidence: number };

/**
 * Stores the current words of a fact before a change at `at`.
 * Only the last of several edits within one millisecond is kept.
 */
export async function closeFactVersion(db: UserDatabase, factId: string, at: EpochMs): Promise<void> {
  const now = await db.tables
    .selectFrom('facts')
    .select(['subject', 'predicate', 'object', 'confidence', 'updated_at'])
    .where('id', '=', factId)
    .executeTakeFirstOrThrow();
  const { updated_at: openedAt, ...said } = now;
  if (openedAt >= at) return;
  const last = await db.tables
    .selectFrom('fact_versions')
    .select(sql<number>`coalesce(max(number), 0)`.as('number'))
    .where('fact_id', '=', factId)
    .executeTakeFirst();
  await db.tables
    .insertInto('fact_versions', {
      fact_id: factId,
      number: Number(last?.number ?? 0) + 1,
      opened_at: openedAt,
      closed_at: at,
      ...said,
    })
    .execute();
}

/** Words at `asOf` of facts that were edited since; facts whose words at `asOf` are unknown are left out. */
export function factTextsAsOf(
  db: UserDatabase,
  factIds: readonly string[],
  asOf: EpochMs,
): Promise<Map<string, FactText>> {
  return textsOf(factIds, (ids) =>
    versionsClosedAfter(db, ids, asOf).where('opened_at', '<=', asOf).execute(),
  );
}

/**
 * Words at `asOf` of derived facts that were corrected
 * since: before the first correction, the words as derived.
 */
function derivedTextsAsOf(
  db: UserDatabase,
  factIds: readonly string[],
  asOf: EpochMs,
): Promise<Map<string, FactText>> {
  return textsOf(factIds, (ids) => versionsClosedAfter(db, ids, asOf).orderBy('closed_at', 'desc').execute());
}

function versionsClosedAfter(db: UserDatabase, factIds: readonly string[], asOf: EpochMs) {
  return db.tables
    .selectFrom('fact_versions')
    .select(['fact_id', 'subject', 'predicate', 'object', 'confidence'])
    .where('fact_id', 'in', factIds)
    .where('closed_at', '>', asOf);
}

/** The last row of each fact. */
async function textsOf(
  factIds: readonly string[],
  rowsOf: (ids: readonly string[]) => Promise<readonly (FactText & { readonly fact_id: string })[]>,
): Promise<Map<string, FactText>> {
  const said = new Map<string, FactText>();
  for (const chunk of chunksOf(factIds))
    for (const { fact_id, ...text } of await rowsOf(chunk)) said.set(fact_id, text);
  return said;
}
