import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
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
/** Without a session of its own a process alone counts the time of a statement: longer than the server's limit in transactions. */
const unansweredMs = 35_000;
const unansweredUpkeepMs = 1_800_000;
const upkeep = /^\s*(vacuum|reindex|drop index)\b/i;
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
  /** Whether a connection is a session of the server; a pooler between refuses settings of sessions. */
  hasSessions = true,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    ...(hasSessions && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    }),
    // Statements of a transaction need not wait for the answers to those before them.
    pipeline: true,
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
  });
  return pool;
}

/** A pool that maps the driver's errors to those that clients see. */
class MappingPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #assertOpen: () => void;
  readonly #toSend: ToSend;

  constructor(pool: pg.Pool, { assertOpen, hasNames, hasSessions }: UseOfPool) {
    this.#pool = pool;
    this.#assertOpen = assertOpen;
    const names = hasNames ? new NamedStatements() : undefined;
    this.#toSend = (text, parameters) => {
      const statement = names?.of(text, parameters) ?? { text, values: [...parameters] };
      return hasSessions ? statement : withinTimeouts(statement);
    };
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#assertOpen();
    try {
      return mapErrors(await waitedFor(this.#pool.connect()), this.#toSend);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

type ToSend = (text: string, parameters: readonly unknown[]) => pg.QueryConfig;

/** A transaction gets the limits that a session has elsewhere; each statement gets one that the process counts. */
function withinTimeouts(statement: pg.QueryConfig): pg.QueryConfig & { readonly query_timeout: number } {
  const { text } = statement;
  const begins = /^(begin|start transaction)\b/i.test(text);
  const limits = `SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`;
  return {
    ...statement,
    text: begins ? `${text}; ${limits}` : text,
    query_timeout: upkeep.test(text) ? unansweredUpkeepMs : unansweredMs,
  };
}

const mapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** One wrapper per connection: Kysely identifies connections by identity. */
function mapErrors(client: pg.PoolClient, toSend: ToSend): PostgresPoolClient {
  const known = mapped.get(client);
  if (known) return known;
  let isLost = false;
  const wrapper = {
    query: (text: string, parameters: readonly unknown[]) =>
      waitedFor(
        client.query(toSend(text, parameters)).catch((error: unknown) => {
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

const adapter = new PostgresAdapter();

/** Without a driver. All databases share the adapter, by which a `UserQuery` finds its compiled statement. */
export const postgresDialect: Omit<Dialect, 'createDriver'> = {
  createAdapter: () => adapter,
  createQueryCompiler: () => new OwnerNamingCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

export interface UseOfPool {
  /** Throws while the database must not be used. */
  readonly assertOpen: () => void;
  /** Whether statements are named, which needs that a connection reaches the same session of the server always. */
  readonly hasNames: boolean;
  /** Whether a connection is a session of the server; false behind a pooler. */
  readonly hasSessions: boolean;
}

export function kyselyOver(
  pool: pg.Pool,
  use: UseOfPool = { assertOpen: () => undefined, hasNames: true, hasSessions: true },
): Kysely<Database> {
  const createDriver = () => new PostgresDriver({ pool: new MappingPool(pool, use) });
  return new Kysely<Database>({ dialect: { ...postgresDialect, createDriver } });
}
