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
import { pauseAfter } from '../../lib/loop-time.ts';
import { namingOwner } from '../sql/core/joins.ts';
import type { Database } from '../sql/core/schema.ts';
import { executeDirectly } from '../sql/core/user-query.ts';
import { toStorageError } from './errors.ts';

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
  override compileQuery(...query: Parameters<SqliteQueryCompiler['compileQuery']>): CompiledQuery {
    return namingOwner(super.compileQuery(...query));
  }

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

/** Makes a row from the values of its columns. */
type RowMaker = (values: unknown) => Record<string, unknown>;

const makersMax = 500;

/**
 * Functions that make rows, one for each list of columns. better-sqlite3 fills an object
 * property by property from C++. A loop over the names in JavaScript takes less than
 * half of that time; a literal compiled for the columns takes a tenth of the loop's.
 */
export class RowMakers {
  readonly #byColumns = new Map<string, RowMaker>();

  of(columns: readonly string[]): RowMaker {
    const key = JSON.stringify(columns);
    const known = this.#byColumns.get(key);
    if (known) return known;
    if (this.#byColumns.size >= makersMax) this.#byColumns.clear();
    const maker = makerOf(columns);
    this.#byColumns.set(key, maker);
    return maker;
  }
}

function makerOf(columns: readonly string[]): RowMaker {
  // A member called `__proto__` would set the prototype; a computed
  // name does not. Computing all names takes twice as long.
  const members = columns.map(
    (name, i) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}: values[${i}]`,
  );
  return new Function('values', `return { ${members.join(', ')} };`) as RowMaker;
}

/**
 * Statements of the read connection in one turn of the event loop share a transaction: beginning one
 * for each made them a third slower (12 MATCH statements: 99 µs instead of 129), and in this way a
 * search sees one state of the store. A commit ends it, so that reads after the commit see the change.
 */
export class ReadTransaction {
  readonly #sqlite: SqliteConnection.Database;
  readonly #begin: SqliteConnection.Statement;
  readonly #commit: SqliteConnection.Statement;
  readonly #end = () => this.end();
  #isOpen = false;

  constructor(sqlite: SqliteConnection.Database) {
    this.#sqlite = sqlite;
    this.#begin = sqlite.prepare('BEGIN');
    this.#commit = sqlite.prepare('COMMIT');
  }

  /** Call before every statement of the connection. */
  enter(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.#end);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#sqlite.open || !this.#sqlite.inTransaction) return;
    try {
      this.#commit.run();
    } catch {
      // Nothing was written, so nothing is lost; the next statement throws if the file is faulty.
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK');
    }
  }
}
