import {
  type CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { waitedFor } from '../../lib/loop-time.ts';
import { namingOwner } from '../sql/core/joins.ts';
import type { Database } from '../sql/core/schema.ts';
import { isBroken, toStorageError } from './errors.ts';
import { NamedStatements } from './named-statements.ts';

const int8 = 20;
const connectTimeoutMs = 5000;
const statementTimeoutMs = 30_000;
const keepAliveMs = 10_000;

/** 64-bit integers as numbers: times, counters and ids here are far below 2^53. */
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
  // The pool passes on errors of its idle connections, which each connection has reported below.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // For the life of the connection: the pool listens to idle connections
    // only, and an error without a listener on a connection in use ends the
    // process. The query fails by itself, and the pool replaces the connection.
    client.on('error', failed);
    // Settings of pgvector, without effect if it is absent. A scan
    // ends when enough rows pass its filter, or at the limit.
    const set = client.query(
      'SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 400; SET hnsw.max_scan_tuples = 200000',
    );
    set.catch(failed);
  });
  return pool;
}

/** A pool that maps the driver's errors to those that clients see. */
class MappingPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #assertOpen: () => void;
  readonly #names: NamedStatements | undefined;

  constructor(pool: pg.Pool, { assertOpen, hasNames }: UseOfPool) {
    this.#pool = pool;
    this.#assertOpen = assertOpen;
    this.#names = hasNames ? new NamedStatements() : undefined;
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#assertOpen();
    try {
      return mapErrors(await waitedFor(this.#pool.connect()), this.#names);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

const mapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** One wrapper per connection: Kysely identifies connections by identity. */
function mapErrors(client: pg.PoolClient, names: NamedStatements | undefined): PostgresPoolClient {
  const known = mapped.get(client);
  if (known) return known;
  let isLost = false;
  const wrapper = {
    query: (text: string, parameters: readonly unknown[]) =>
      waitedFor(
        client
          .query(names?.of(text, parameters) ?? { text, values: parameters as unknown[] })
          .catch((error: unknown) => {
            isLost ||= isBroken(error);
            throw toStorageError(error);
          }),
      ),
    // The server announces the end of a connection before it
    // ends: the connection must not be reused in between.
    release: () => client.release(isLost),
  } as unknown as PostgresPoolClient;
  mapped.set(client, wrapper);
  return wrapper;
}

class OwnerNamingCompiler extends PostgresQueryCompiler {
  override compileQuery(...query: Parameters<PostgresQueryCompiler['compileQuery']>): CompiledQuery {
    return namingOwner(super.compileQuery(...query));
  }
}

export interface UseOfPool {
  /** Throws while the database must not be used. */
  readonly assertOpen: () => void;
  /** Whether statements are named, which needs that a connection reaches the same session of the server always. */
  readonly hasNames: boolean;
}

export function kyselyOver(
  pool: pg.Pool,
  use: UseOfPool = { assertOpen: () => undefined, hasNames: true },
): Kysely<Database> {
  const dialect = new PostgresDialect({ pool: new MappingPool(pool, use) });
  dialect.createQueryCompiler = () => new OwnerNamingCompiler();
  return new Kysely<Database>({ dialect });
}
