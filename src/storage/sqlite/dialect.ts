import type SqliteConnection from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { pauseAfter } from '../../lib/breather.ts';
import { executeDirectly } from '../sql/core/direct-execution.ts';
import type { Database } from '../sql/core/schema.ts';
import { toStorageError } from './errors.ts';
import type { ReadTransaction } from './read-transaction.ts';
import { type RowMaker, RowMakers } from './row-makers.ts';

const preparedStatementsMax = 500;

/**
 * Kysely's own SQLite driver prepares every statement again and shares one connection by a lock. This one
 * caches prepared statements and needs no lock, since better-sqlite3 runs a statement before it returns.
 */
class CachingConnection implements DatabaseConnection {
  readonly #sqlite: SqliteConnection.Database;
  readonly #statements = new Map<string, Prepared>();
  readonly #rowMakers = new RowMakers();
  readonly #turn: ReadTransaction | undefined;

  constructor(sqlite: SqliteConnection.Database, turn: ReadTransaction | undefined) {
    this.#sqlite = sqlite;
    this.#turn = turn;
  }

  /** @throws the failure as clients see it */
  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    try {
      this.#turn?.enter();
      const { statement, toRow } = this.#prepare(sql);
      if (toRow) return { rows: statement.all(...parameters).map(toRow) as R[] };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const pause = pauseAfter();
    if (pause) await pause;
    return this.execute<R>(sql, parameters);
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streaming is not used on SQLite: lists are read in pages.');
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = prepare(this.#sqlite, sql, this.#rowMakers);
    if (this.#statements.size >= preparedStatementsMax) this.#dropOldest();
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #dropOldest(): void {
    const oldest = this.#statements.keys().next();
    if (!oldest.done) this.#statements.delete(oldest.value);
  }
}

interface Prepared {
  readonly statement: SqliteConnection.Statement;
  /** Undefined if the statement returns no rows. */
  readonly toRow: RowMaker | undefined;
}

function prepare(sqlite: SqliteConnection.Database, sql: string, makers: RowMakers): Prepared {
  const statement = sqlite.prepare(sql);
  if (!statement.reader) return { statement, toRow: undefined };
  return { statement: statement.raw(), toRow: makers.of(statement.columns().map(({ name }) => name)) };
}

class SqliteDriver implements Driver {
  readonly #connection: CachingConnection;
  readonly #sqlite: SqliteConnection.Database;

  constructor(sqlite: SqliteConnection.Database, connection: CachingConnection) {
    this.#sqlite = sqlite;
    this.#connection = connection;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async beginTransaction(): Promise<void> {
    this.#sqlite.exec('BEGIN IMMEDIATE');
  }
  async commitTransaction(): Promise<void> {
    this.#sqlite.exec('COMMIT');
  }
  async rollbackTransaction(): Promise<void> {
    if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK');
  }
  async destroy(): Promise<void> {}
}

/**
 * SQLite reads the bound limit to plan a statement, and prepares it again at
 * the next run because the limit may have changed: the two statements for the
 * edges of a memory took 80 us instead of 8. A sign before it prevents that.
 */
class CompilerOfFixedPlans extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }
}

/**
 * A Kysely over an open SQLite connection, which its owner
 * closes. `turn` is for a connection that only reads.
 */
export function kyselyOver(sqlite: SqliteConnection.Database, turn?: ReadTransaction): Kysely<Database> {
  const connection = new CachingConnection(sqlite, turn);
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(sqlite, connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new CompilerOfFixedPlans(),
  };
  const db = new Kysely<Database>({ dialect });
  executeDirectly(
    db,
    <R>(sql: string, parameters: readonly unknown[]) => connection.execute<R>(sql, parameters).rows,
  );
  return db;
}
