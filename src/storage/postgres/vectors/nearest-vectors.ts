import { type Kysely, sql } from 'kysely';
import type { NearestRequest, VectorRow } from '../../../search-index/ports.ts';
import type { Database } from '../../sql/core/schema.ts';
import type { StoredVector, ToVectorRows } from '../../sql/vectors/vector-checksum.ts';

/** Users with fewer vectors are compared exactly: some 5 ms. */
const exactMax = 5000;
/** Maximum count for a scan: one for 5,200 took a second, longer than comparing 100,000 vectors. */
const scannedMax = 1000;
/**
 * Cost of a vector that an HNSW scan passes over, in vectors of a list compared:
 * the index contains all users, so the scan passes over the vectors of others.
 */
const scanCost = 10;

/** Nearest vectors of one user, by pgvector (https://github.com/pgvector/pgvector, 0.8: iterative scans). */
export class NearestVectors {
  readonly #db: Kysely<Database>;
  readonly #userId: number;
  readonly #toRows: ToVectorRows;

  /** @param toRows converts stored rows to vectors */
  constructor(db: Kysely<Database>, userId: number, toRows: ToVectorRows) {
    this.#db = db;
    this.#toRows = toRows;
    this.#userId = userId;
  }

  /** See `IndexReader.nearest`. */
  async nearest(request: NearestRequest): Promise<VectorRow[]> {
    if (request.docs?.length === 0) return [];
    const found = (await this.#isScanned(request)) ? await this.#scanned(request) : [];
    // A scan with fewer results than requested ended before it had seen all vectors.
    return this.#toRows(found.length < request.count ? await this.#compared(request) : found);
  }

  async #isScanned({ docs, size, count }: NearestRequest): Promise<boolean> {
    if (docs !== undefined || size <= exactMax || count > scannedMax) return false;
    return scanCost * count * Math.max(size, await totalVectors(this.#db)) < size * size;
  }

  /** Uses the HNSW index of the space, if it exists. */
  async #scanned({ space, vector, count }: NearestRequest): Promise<StoredVector[]> {
    return this.#db.transaction().execute(async (tx) => {
      // A scan ends when enough rows pass its filter, or at the limit. Settings of the transaction hold behind a pooler too.
      await sql`SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
        set_config('hnsw.ef_search', '400', true), set_config('hnsw.max_scan_tuples', '200000', true)`.execute(
        tx,
      );
      const { rows } = await sql<StoredVector>`
        SELECT doc, part, late_rev AS "lateRev", vector, crc FROM memory_vectors
        WHERE user_id = ${this.#userId} AND space = ${sql.lit(space)}
        ORDER BY ${distance(vector)} LIMIT ${count}`.execute(tx);
      return rows;
    });
  }

  /** Compares each vector of the user, or of the requested documents. */
  async #compared({ space, vector, count, docs }: NearestRequest): Promise<StoredVector[]> {
    const among = docs === undefined ? sql`` : sql`AND doc = ANY(${docs}::bigint[])`;
    // The sum has no index, so the planner reads the user's own vectors by their key.
    const { rows } = await sql<StoredVector>`
      SELECT doc, part, late_rev AS "lateRev", vector, crc FROM memory_vectors
      WHERE user_id = ${this.#userId} AND space = ${sql.lit(space)} ${among}
      ORDER BY (${distance(vector)}) + 0 LIMIT ${count}`.execute(this.#db);
    return rows;
  }
}

/** Cosine distance, written as the indexes have it. */
function distance(vector: Float32Array) {
  const type = sql.raw(`halfvec(${vector.length})`);
  return sql`(embedding::${type}) <=> ${`[${vector.join(',')}]`}::${type}`;
}

const lookEveryMs = 60_000;
const known = new WeakMap<Kysely<Database>, { readonly total: number; readonly at: number }>();

/**
 * Vectors of all users, as last estimated by the database's
 * planner, at most a minute old; 0 without an estimate.
 */
async function totalVectors(db: Kysely<Database>): Promise<number> {
  const now = performance.now();
  const before = known.get(db);
  if (before && now - before.at < lookEveryMs) return before.total;
  const { rows } = await sql<{ total: number }>`
    SELECT reltuples::bigint AS total FROM pg_class WHERE oid = 'memory_vectors'::regclass`.execute(db);
  const total = Math.max(0, rows[0].total);
  known.set(db, { total, at: now });
  return total;
}
