import { type FactOfMemory, type FactsOfMemory, factsOfMemoryMax } from '../../../domain/facts/fact.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { derivedTextsAsOf, type FactText, factTextsAsOf } from './fact-history.ts';
import { type SaidRow, saidByVersions } from './fact-mentions.ts';

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
  };
}
