import { type Kysely, sql } from 'kysely';
import { BackgroundLoop } from '../../../lib/background-loop.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import { rest } from '../../../lib/pace.ts';
import type { Database } from '../../sql/core/schema.ts';
import { readSpaces, type SpaceRow } from '../../sql/vectors/space-table.ts';
import { advisoryLocks } from '../advisory-locks.ts';

const lookEveryMs = 5000;
const prefix = 'memory_vectors_near_';
/** pgvector's own bound for an index of halves. */
const dimensionMax = 4000;

interface FoundIndex {
  readonly name: string;
  readonly valid: boolean;
}

/** Keeps an HNSW index for each space that serves, in the background; until it is there, vectors are compared in turn. */
export class HnswIndexes extends BackgroundLoop {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>, failures: FailureReporter) {
    super('hnsw_index', failures);
    this.#db = db;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => this.failed(error));
      await rest(lookEveryMs, signal);
    }
  }

  /** Makes and drops what is to be, unless another process is at it. */
  async look(): Promise<void> {
    const { missing, surplus } = await this.#plan();
    if (missing.length + surplus.length === 0) return;
    await this.#db.connection().execute(async (db) => {
      const { rows } = await sql<{
        ours: boolean;
      }>`SELECT pg_try_advisory_lock(${advisoryLocks.hnswIndexes}) AS ours`.execute(db);
      if (!rows[0].ours) return;
      // An index of many vectors takes minutes, and is made several times faster in memory.
      await sql`SET statement_timeout = 0`.execute(db);
      await sql`SET maintenance_work_mem = '256MB'`.execute(db);
      try {
        for (const { name } of surplus)
          await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(db);
        for (const space of missing) await createIndex(db, space);
      } finally {
        await sql`RESET statement_timeout`.execute(db);
        await sql`RESET maintenance_work_mem`.execute(db);
        await sql`SELECT pg_advisory_unlock(${advisoryLocks.hnswIndexes})`.execute(db);
      }
    });
  }

  async #plan(): Promise<{ missing: SpaceRow[]; surplus: FoundIndex[] }> {
    const serving = (await readSpaces(this.#db)).filter(
      ({ state, space }) => state === 'serving' && space.dimension <= dimensionMax,
    );
    const { rows: found } = await sql<FoundIndex>`
      SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid
      WHERE indrelid = 'memory_vectors'::regclass AND starts_with(relname, ${prefix})`.execute(this.#db);
    const names = new Set(serving.map(({ id }) => prefix + id));
    // One that was interrupted stays behind invalid.
    const surplus = found.filter(({ name, valid }) => !valid || !names.has(name));
    const valid = new Set(found.filter((index) => index.valid).map(({ name }) => name));
    return { missing: serving.filter(({ id }) => !valid.has(prefix + id)), surplus };
  }
}

async function createIndex(db: Kysely<Database>, { id, space }: SpaceRow): Promise<void> {
  await sql`
    CREATE INDEX CONCURRENTLY IF NOT EXISTS ${sql.id(prefix + id)} ON memory_vectors
    USING hnsw ((embedding::halfvec(${sql.lit(space.dimension)})) halfvec_cosine_ops)
    WHERE space = ${sql.lit(id)}`.execute(db);
}
