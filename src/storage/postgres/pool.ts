import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Database } from '../sql/schema.ts';
import { toStorageError } from './errors.ts';

const int8 = 20;
const connectTimeoutMs = 5000;
const statementTimeoutMs = 30_000;

/** 64-bit integers as numbers: ours are times, counters and ids far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

export function createPool(connectionString: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    types: types as unknown as pg.CustomTypesConfig,
  });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  // Read by pgvector alone; without it they say nothing. A scan ends when enough pass its filter, or after so many.
  pool.on('connect', (client) => {
    const set = client.query(
      'SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 400; SET hnsw.max_scan_tuples = 200000',
    );
    set.catch(() => undefined);
  });
  return pool;
}

/** A pool whose failures are already those that clients are told of. */
class MappingPool implements PostgresPool {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return mapErrors(await this.#pool.connect());
    } catch (error) {
      throw toStorageError(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

const mapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** One wrapper a connection: Kysely knows its connections by identity. */
function mapErrors(client: pg.PoolClient): PostgresPoolClient {
  const known = mapped.get(client);
  if (known) return known;
  const wrapper = {
    query: (text: string, parameters: readonly unknown[]) =>
      client.query(text, parameters as unknown[]).catch((error: unknown) => {
        throw toStorageError(error);
      }),
    release: () => client.release(),
  } as unknown as PostgresPoolClient;
  mapped.set(client, wrapper);
  return wrapper;
}

export function kyselyOver(pool: pg.Pool): Kysely<Database> {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: new MappingPool(pool) }) });
}
