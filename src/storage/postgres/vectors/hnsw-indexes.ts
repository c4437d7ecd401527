import { type Kysely, sql } from 'kysely';
import type { Database } from '../../sql/core/schema.ts';
import { readSpaces, type SpaceRow } from '../../sql/vectors/space-table.ts';
import { advisoryLocks } from '../advisory-locks.ts';

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
export async function updateHnswIndexes(db: Kysely<Database>): Promise<void> {
  const { missing, surplus } = await planIndexes(db);
  if (missing.length + surplus.length === 0) return;
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{
      ours: boolean;
    }>`SELECT pg_try_advisory_lock(${advisoryLocks.hnswIndexes}) AS ours`.execute(connection);
    if (!rows[0].ours) return;
    // An index of many vectors takes minutes; in memory its build is several times faster.
    await sql`SET statement_timeout = 0`.execute(connection);
    await sql`SET maintenance_work_mem = '256MB'`.execute(connection);
    try {
      for (const { name } of surplus)
        await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(connection);
      for (const space of missing) await createIndex(connection, space);
    } finally {
      await sql`RESET statement_timeout`.execute(connection);
      await sql`RESET maintenance_work_mem`.execute(connection);
      await sql`SELECT pg_advisory_unlock(${advisoryLocks.hnswIndexes})`.execute(connection);
    }
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
