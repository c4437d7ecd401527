import { type Kysely, sql } from 'kysely';
import type { Database } from '../../sql/core/schema.ts';

const lookEveryMs = 60_000;
const known = new WeakMap<Kysely<Database>, { readonly total: number; readonly at: number }>();

/**
 * Vectors of all users, as last estimated by the database's
 * planner, at most a minute old; 0 without an estimate.
 */
export async function totalVectors(db: Kysely<Database>): Promise<number> {
  const now = performance.now();
  const before = known.get(db);
  if (before && now - before.at < lookEveryMs) return before.total;
  const { rows } = await sql<{ total: number }>`
    SELECT reltuples::bigint AS total FROM pg_class WHERE oid = 'memory_vectors'::regclass`.execute(db);
  const total = Math.max(0, rows[0].total);
  known.set(db, { total, at: now });
  return total;
}
