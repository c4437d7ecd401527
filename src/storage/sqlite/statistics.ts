import type SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import type { Slice, SlicedWork } from '../../domain/system/engine-maintenance.ts';
import type { Database } from '../sql/core/schema.ts';
import type { WriteQueue } from '../sql/core/write-queue.ts';
import type { ReadTransaction } from './dialect.ts';

/**
 * Returns the tables not analyzed or grown tenfold since, for
 * any connection (0x10000), without running anything (1).
 */
const namesOnly = 0x10003;
/** Rows read per index: 1 to 30 ms a table with 100,000 memories. */
const rowsMax = 1000;

interface StatisticsDeps {
  readonly write: SqliteConnection.Database;
  readonly read: SqliteConnection.Database;
  readonly turn: ReadTransaction;
  readonly queue: WriteQueue<Kysely<Database>>;
}

/**
 * Keeps the statistics of SQLite's query planner current while the store grows,
 * a table at a time. Every index begins with the user, for which SQLite assumes
 * ten rows without statistics: a page of a list would read whole tables.
 */
export class Statistics implements SlicedWork {
  readonly #deps: StatisticsDeps;
  #left: string[] = [];

  constructor(deps: StatisticsDeps) {
    this.#deps = deps;
    deps.write.pragma(`analysis_limit = ${rowsMax}`);
  }

  async slice(): Promise<Slice> {
    const { queue } = this.#deps;
    if (this.#left.length === 0) this.#left = this.#outdated();
    const analyze = this.#left.shift();
    if (analyze === undefined) return { more: false, workedMs: 0 };
    const workedMs = await queue.run(async (db) => {
      const began = performance.now();
      await sql.raw(analyze).execute(db);
      return performance.now() - began;
    });
    if (this.#left.length === 0) this.#readAgain();
    return { more: this.#left.length > 0, workedMs };
  }

  /** Statements that analyze one table each: `ANALYZE "main"."name"`. Tables without rows are left out. */
  #outdated(): string[] {
    const { write } = this.#deps;
    const statements = write.pragma(`optimize = ${namesOnly}`) as readonly object[];
    const hasRows = (analyze: string) =>
      write.prepare(`${analyze.replace(/^ANALYZE/, 'SELECT 1 FROM')} LIMIT 1`).get() !== undefined;
    return statements.flatMap((row) => Object.values(row).map(String)).filter(hasRows);
  }

  /** A connection reads the statistics with the schema, and caches both until the schema changes. */
  #readAgain(): void {
    const { read, turn } = this.#deps;
    turn.end();
    read.pragma('writable_schema = RESET');
  }
}
