import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { waitedFor } from '../../lib/loop-time.ts';
import type { Database } from '../sql/core/schema.ts';
import { isBroken, toStorageError } from './errors.ts';

const int8 = 20;
const connectTimeoutMs = 5000;
const statementTimeoutMs = 30_000;
const keepAliveMs = 10_000;

/** 64-bit integers as numbers: ours are times, counters and ids far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

export function createPool(
  connectionString: string,
  connections: number,
  failures: FailureReporter,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: types as unknown as pg.CustomTypesConfig,
  });
  const failed = (error: unknown) => failures.failed('database_connection', error);
  // The pool passes on what its idle connections report, which each connection has reported below.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // For as long as it lives: the pool listens to idle connections only, and an error of one in use that nobody
    // listens to ends the process. Its query fails by itself, and the pool replaces it.
    client.on('error', failed);
    // Read by pgvector alone; without it they say nothing. A scan ends when enough pass its filter, or after so many.
    const set = client.query(
      'SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 400; SET hnsw.max_scan_tuples = 200000',
    );
    set.catch(failed);
  });
  return pool;
}

/** A pool whose failures are already those that clients are told of. */
class MappingPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #assertOpen: () => void;

  constructor(pool: pg.Pool, assertOpen: () => void) {
    this.#pool = pool;
    this.#assertOpen = assertOpen;
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#assertOpen();
    try {
      return mapErrors(await waitedFor(this.#pool.connect()));
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
  let isLost = false;
  const wrapper = {
    query: (text: string, parameters: readonly unknown[]) =>
      waitedFor(
        client.query(text, parameters as unknown[]).catch((error: unknown) => {
          isLost ||= isBroken(error);
          throw toStorageError(error);
        }),
      ),
    // The server says that it ends a connection before the end itself comes: nobody is to get it until then.
    release: () => client.release(isLost),
  } as unknown as PostgresPoolClient;
  mapped.set(client, wrapper);
  return wrapper;
}

/** @param assertOpen throws while nothing may be asked of the database */
export function kyselyOver(pool: pg.Pool, assertOpen: () => void = () => undefined): Kysely<Database> {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: new MappingPool(pool, assertOpen) }) });
}
