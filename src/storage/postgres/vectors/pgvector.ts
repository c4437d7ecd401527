import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import type { Database } from '../../sql/core/schema.ts';

/** The first version whose HNSW scans go on until a filter is satisfied. */
const versionMin = [0, 8];

const statements = [
  'CREATE EXTENSION IF NOT EXISTS vector',
  // The bytes are signed: cosines of the numbers are those that our own code computes. The body is no text in quotes, so
  // that the names in it are looked up now: in a dump they have their schemas, as it is restored with an empty search_path.
  `CREATE OR REPLACE FUNCTION memoryd_halfvec(bytes bytea) RETURNS halfvec
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
      SELECT array_agg((get_byte(bytes, i) + 128) % 256 - 128 ORDER BY i)::halfvec
      FROM generate_series(0, length(bytes) - 1) AS i
    )`,
];
/** Generated, so nothing that writes vectors has to know of it. */
const addColumn = `ALTER TABLE memory_vectors ADD COLUMN embedding halfvec
  GENERATED ALWAYS AS (memoryd_halfvec(vector)) STORED`;

async function isNewEnough(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ version: string }>`
    SELECT coalesce(installed_version, default_version) AS version FROM pg_available_extensions
    WHERE name = 'vector'`.execute(db);
  if (rows.length === 0) return false;
  const [major, minor] = rows[0].version.split('.').map(Number);
  return major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
}

async function hasColumn(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM pg_attribute
    WHERE attrelid = 'memory_vectors'::regclass AND attname = 'embedding' AND NOT attisdropped`.execute(db);
  return rows.length > 0;
}

/**
 * Lets pgvector compare the vectors of the store, in a transaction of the caller's that holds the migration lock.
 * @returns false where the server has none of 0.8 or later, or its user may not use it: the process compares then
 */
export async function preparePgvector(tx: Kysely<Database>, failures: FailureReporter): Promise<boolean> {
  if (!(await isNewEnough(tx))) return false;
  await sql`SAVEPOINT pgvector`.execute(tx);
  try {
    for (const statement of statements) await sql.raw(statement).execute(tx);
    // `ADD COLUMN IF NOT EXISTS` locks the table alone even where there is nothing to add, and so waits for an index
    // that another process builds, which waits for this transaction.
    if (!(await hasColumn(tx))) await sql.raw(addColumn).execute(tx);
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    failures.failed('pgvector', error);
    await sql`ROLLBACK TO SAVEPOINT pgvector`.execute(tx);
    return false;
  }
}
