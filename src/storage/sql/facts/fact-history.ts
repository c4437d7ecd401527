import { sql } from 'kysely';
import type { FactWords } from '../../../domain/facts/fact.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';

export type FactText = FactWords & { readonly confidence: number };

/**
 * Stores the current words of a fact before a change at `at`.
 * Of edits within one millisecond only the last is kept.
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
export function derivedTextsAsOf(
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
