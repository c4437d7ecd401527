import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import type { Database } from '../../sql/core/schema.ts';
import { readSpaces, type SpaceRow } from '../../sql/vectors/space-table.ts';
import type { LongWork } from '../long-work.ts';

/** First version whose HNSW scans continue until a filter is satisfied. */
const versionMin = [0, 8];

const statements = [
  'CREATE EXTENSION IF NOT EXISTS vector',
  // The bytes are signed: cosines equal those of our own code. The body is not quoted, so that its names
  // are resolved now: a dump is restored with an empty search_path, and contains them with their schemas.
  `CREATE OR REPLACE FUNCTION memoryd_halfvec(bytes bytea) RETURNS halfvec
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
      SELECT array_agg((get_byte(bytes, i) + 128) % 256 - 128 ORDER BY i)::halfvec
      FROM generate_series(0, length(bytes) - 1) AS i
    )`,
];
/** Generated, so that code that writes vectors does not have to fill it. */
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
 * Lets pgvector compare the vectors of the store, in a
 * transaction of the caller that holds the migration lock.
 * @returns false if the server lacks version 0.8 or later,
 * or its user may not use it: the process then compares
 */
export async function preparePgvector(tx: Kysely<Database>, failures: FailureReporter): Promise<boolean> {
  if (!(await isNewEnough(tx))) return false;
  await sql`SAVEPOINT pgvector`.execute(tx);
  try {
    for (const statement of statements) await sql.raw(statement).execute(tx);
    // `ADD COLUMN IF NOT EXISTS` locks the table even if the column exists, and so
    // waits for an index that another process builds, which waits for this transaction.
    if (!(await hasColumn(tx))) await sql.raw(addColumn).execute(tx);
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    failures.failed('pgvector', error);
    await sql`ROLLBACK TO SAVEPOINT pgvector`.execute(tx);
    return false;
  }
}

const prefix = 'memory_vectors_near_';
/** pgvector's limit for an index of half-precision vectors. */
const dimensionMax = 4000;

interface FoundIndex {
  readonly name: string;
  readonly valid: boolean;
}

/**
 * Creates the HNSW index of each serving space and drops the others, unless
 * another process does so. Without the index, vectors are compared one by one.
 */
export async function updateHnswIndexes(db: Kysely<Database>, longWork: LongWork): Promise<void> {
  const { missing, surplus } = await planIndexes(db);
  if (missing.length + surplus.length === 0) return;
  // An index of many vectors takes minutes; in memory its build is several times faster.
  const settings = { statement_timeout: '0', maintenance_work_mem: '256MB' };
  await longWork.run({ purpose: 'hnswIndexes', settings }, async (connection) => {
    for (const { name } of surplus)
      await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(connection);
    for (const space of missing) await createIndex(connection, space);
  });
}

async function planIndexes(db: Kysely<Database>): Promise<{ missing: SpaceRow[]; surplus: FoundIndex[] }> {
  const serving = (await readSpaces(db)).filter(
    ({ state, space }) => state === 'serving' && space.dimension <= dimensionMax,
  );
  const { rows: found } = await sql<FoundIndex>`
    SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'memory_vectors'::regclass AND starts_with(relname, ${prefix})`.execute(db);
  const names = new Set(serving.map(({ id }) => prefix + id));
  // An interrupted build leaves an invalid index.
  const surplus = found.filter(({ name, valid }) => !valid || !names.has(name));
  const valid = new Set(found.filter((index) => index.valid).map(({ name }) => name));
  return { missing: serving.filter(({ id }) => !valid.has(prefix + id)), surplus };
}

async function createIndex(db: Kysely<Database>, { id, space }: SpaceRow): Promise<void> {
  await sql`
    CREATE INDEX CONCURRENTLY IF NOT EXISTS ${sql.id(prefix + id)} ON memory_vectors
    USING hnsw ((embedding::halfvec(${sql.lit(space.dimension)})) halfvec_cosine_ops)
    WHERE space = ${sql.lit(id)}`.execute(db);
}
