import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { FailureReporter } from '../../lib/failure-log.ts';
import type { Database } from '../sql/core/schema.ts';
import { erasedTables } from '../sql/core/user-data-tables.ts';
import type { LongWork } from './long-work.ts';

/** REINDEX CONCURRENTLY waits for older transactions, as those of `pg_dump`. */
const passTimeout = '10min';
const snapshotsWaitMs = 10_000;
const snapshotsPollMs = 50;
const keywordIndex = 'keyword_documents_keys';

const tableNames = [...erasedTables, 'keyword_documents', 'users'];
const tables = sql.join(tableNames.map((table) => sql.table(table)));

export interface TextScrubberDeps {
  readonly db: Kysely<Database>;
  readonly longWork: LongWork;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly failures: FailureReporter;
}

/**
 * Removes erased text from the remains of deleted rows in PostgreSQL: dead rows; the
 * planner's statistics, which show values of columns to users who may read `pg_stats`; and
 * the GIN index of keywords, whose keys only REINDEX removes. `store_counters` has the
 * number of erasings, and the number of those for which all this is done, for all processes.
 */
export class TextScrubber {
  readonly #deps: TextScrubberDeps;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: TextScrubberDeps) {
    this.#deps = deps;
  }

  /**
   * Call after an erase is committed: frees the space of dead rows that no open snapshot
   * sees, and leaves the rest to the background. Calls during a vacuum share the next one.
   */
  scrub(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      await this.#count();
      // The background does the tables that are skipped or fail here.
      const done = sql`VACUUM (SKIP_LOCKED) ${tables}`.execute(this.#deps.db);
      await done.catch((error: unknown) => this.#failed(error));
    });
    // A failure reaches each caller; the next run only waits for the end of this one.
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Like `scrub`, complete on return. A failure is reported, and a service retries. */
  async scrubWholly(): Promise<void> {
    await this.#count();
    await this.look().catch((error: unknown) => this.#failed(error));
  }

  /** Does the work that is due, unless another process does it. */
  async look(): Promise<void> {
    const { erasings, done } = await this.#counters();
    if (erasings === done) return;
    const settings = { statement_timeout: passTimeout };
    await this.#deps.longWork.run({ purpose: 'erasedText', settings }, async (db) => {
      await waitForSnapshots(db);
      await sql`VACUUM (ANALYZE) ${tables}`.execute(db);
      await forgetEmptyTables(db, tableNames);
      await rebuildKeywordIndex(db);
      await setDone(db, erasings);
    });
  }

  #failed(error: unknown): void {
    this.#deps.failures.failed('vacuum', error);
  }

  async #counters(): Promise<{ erasings: number; done: number }> {
    const rows = await this.#deps.db
      .selectFrom('store_counters')
      .select(['name', 'value'])
      .where('name', 'in', ['erasings', 'erasings done'])
      .execute();
    const counter = (name: string) => rows.find((row) => row.name === name)?.value ?? 0;
    return { erasings: counter('erasings'), done: counter('erasings done') };
  }

  async #count(): Promise<void> {
    await this.#deps.write((db) =>
      sql`INSERT INTO store_counters (name, value) VALUES ('erasings', 1)
        ON CONFLICT (name) DO UPDATE SET value = store_counters.value + 1`.execute(db),
    );
  }
}

/**
 * Waits for the transactions that may still see erased rows: VACUUM keeps those, and nothing would vacuum them
 * again but autovacuum. After `snapshotsWaitMs` a pass goes on all the same, since one as that of `pg_dump` takes hours.
 */
async function waitForSnapshots(db: Kysely<Database>): Promise<void> {
  const now = sql<{ next: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next`;
  const [{ next }] = (await now.execute(db)).rows;
  for (const until = performance.now() + snapshotsWaitMs; performance.now() < until; ) {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age(CAST(${next} AS xid8)::xid)
      LIMIT 1`.execute(db);
    if (rows.length === 0) return;
    await wait(snapshotsPollMs);
  }
}

async function setDone(db: Kysely<Database>, erasings: number): Promise<void> {
  await sql`INSERT INTO store_counters (name, value) VALUES ('erasings done', ${erasings})
    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`.execute(db);
}

async function rebuildKeywordIndex(db: Kysely<Database>): Promise<void> {
  // An interrupted REINDEX leaves an invalid index that contains the words.
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'keyword_documents'::regclass AND NOT indisvalid AND starts_with(relname, ${`${keywordIndex}_cc`})`.execute(
    db,
  );
  for (const { name } of rows) await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(db);
  await sql`REINDEX INDEX CONCURRENTLY ${sql.id(keywordIndex)}`.execute(db);
}

const lockTimeout = '1s';

interface Column {
  readonly table: string;
  readonly column: string;
  /** Type of the column in its table, with the collation. */
  readonly type: string;
}

/** Text columns, except ids, that have statistics and whose table may be empty according to PostgreSQL. */
async function readStatistics(db: Kysely<Database>, tables: readonly string[]): Promise<Column[]> {
  const { rows } = await sql<Column>`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attcollation <> 0 THEN format(' COLLATE %I.%I', n.nspname, l.collname) ELSE '' END AS type
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::text AND s.tablename = c.relname AND s.attname = a.attname
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_namespace n ON n.oid = l.collnamespace
    WHERE c.oid = ANY (${sql.val(tables)}::regclass[]) AND c.reltuples <= 0
      AND a.atttypid IN ('text'::regtype, 'tsvector'::regtype) AND a.attname !~ '(^|_)id$'`.execute(db);
  return rows;
}

/**
 * ANALYZE keeps the statistics of a table without rows. Until PostgreSQL 18
 * only superusers can delete them, except by setting a column's type to its
 * current type: this rewrites nothing, and drops the statistics of its values.
 * @throws if a table is in use for longer than a second
 */
async function forgetEmptyTables(db: Kysely<Database>, tables: readonly string[]): Promise<void> {
  const columns = await readStatistics(db, tables);
  for (const table of new Set(columns.map((column) => column.table))) {
    const ofTable = columns.filter((column) => column.table === table);
    await sql`BEGIN`.execute(db);
    try {
      await sql`SET LOCAL lock_timeout = ${sql.lit(lockTimeout)}`.execute(db);
      await sql`LOCK TABLE ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(db);
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db);
      if (rows.length === 0) {
        for (const { column, type } of ofTable) {
          await sql`ALTER TABLE ${sql.table(table)} ALTER COLUMN ${sql.id(column)} TYPE ${sql.raw(type)}`.execute(
            db,
          );
        }
      }
      await sql`COMMIT`.execute(db);
    } catch (error) {
      await sql`ROLLBACK`.execute(db);
      throw error;
    }
  }
}
