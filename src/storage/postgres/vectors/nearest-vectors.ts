import { type Kysely, sql } from 'kysely';
import type { NearestRequest, VectorRow } from '../../../retrieval/ports.ts';
import type { Database } from '../../sql/core/schema.ts';
import type { StoredVector, ToVectorRows } from '../../sql/vectors/vector-sum.ts';
import { totalVectors } from './total-vectors.ts';

/** Users with fewer vectors are compared exactly: some 5 ms. */
const exactMax = 5000;
/** A scan for more takes longer than comparing 100,000: 5,200 took a second. */
const scannedMax = 1000;
/**
 * How much dearer a vector is that an HNSW scan passes over than one of a list compared: the index is of all users, so
 * the scan passes over those of others.
 */
const scanCost = 10;

/** The vectors of one user nearest to another, by pgvector (https://github.com/pgvector/pgvector, 0.8: iterative scans). */
export class NearestVectors {
  readonly #db: Kysely<Database>;
  readonly #userId: number;
  readonly #toRows: ToVectorRows;

  /** @param toRows makes vectors of stored rows */
  constructor(db: Kysely<Database>, userId: number, toRows: ToVectorRows) {
    this.#db = db;
    this.#toRows = toRows;
    this.#userId = userId;
  }

  /** See `IndexReader.nearest`. */
  async nearest(request: NearestRequest): Promise<VectorRow[]> {
    if (request.docs?.length === 0) return [];
    const found = (await this.#isScanned(request)) ? await this.#scanned(request) : [];
    // A scan that gave fewer than asked for ended before it had seen all.
    return this.#toRows(found.length < request.count ? await this.#compared(request) : found);
  }

  async #isScanned({ docs, size, count }: NearestRequest): Promise<boolean> {
    if (docs !== undefined || size <= exactMax || count > scannedMax) return false;
    return scanCost * count * Math.max(size, await totalVectors(this.#db)) < size * size;
  }

  /** By the HNSW index of the space, where it is there. */
  async #scanned({ space, vector, count }: NearestRequest): Promise<StoredVector[]> {
    const { rows } = await sql<StoredVector>`
      SELECT doc, part, late_rev AS "lateRev", vector, crc FROM memory_vectors
      WHERE user_id = ${this.#userId} AND space = ${sql.lit(space)}
      ORDER BY ${distance(vector)} LIMIT ${count}`.execute(this.#db);
    return rows;
  }

  /** Each of the user's vectors, or of those asked about, in turn. */
  async #compared({ space, vector, count, docs }: NearestRequest): Promise<StoredVector[]> {
    const among = docs === undefined ? sql`` : sql`AND doc = ANY(${docs}::bigint[])`;
    // Of the sum the planner has no index, so the user's own vectors are read by their key.
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
