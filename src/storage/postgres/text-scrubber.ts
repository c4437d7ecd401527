import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { FailureReporter } from '../../lib/failure-log.ts';
import type { Database } from '../sql/core/schema.ts';
import { erasedTables } from '../sql/core/user-data-tables.ts';
import type { KeywordPartitions } from './keyword-index.ts';
import type { LongWork } from './long-work.ts';

/** REINDEX CONCURRENTLY waits for older transactions, as those of `pg_dump`. */
const passTimeout = '10min';
const snapshotsWaitMs = 10_000;
const snapshotsPollMs = 50;
/** Counters of erasings that are not wholly done, each followed by the suffix of its partition. */
const counterName = 'erasings';
/** Split in a store whose tables of users are, like the keyword index of each store. */
const splitTables = erasedTables.filter((table) => table !== 'api_keys');

export interface TextScrubberDeps {
  readonly db: Kysely<Database>;
  readonly longWork: LongWork;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly failures: FailureReporter;
  readonly parts: KeywordPartitions;
  /** Whether each table of users has parts. */
  readonly isSplit: boolean;
}

/**
 * Removes erased text from the remains of deleted rows in PostgreSQL: dead rows; and the GIN index of
 * keywords, whose keys only REINDEX removes: of the part that has the user. Statistics have no texts, see
 * `migrations.ts`. `store_counters` has the number of erasings of each part for which all this is not done, for all processes.
 */
export class TextScrubber {
  readonly #deps: TextScrubberDeps;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #users = new Set<number>();

  constructor(deps: TextScrubberDeps) {
    this.#deps = deps;
  }

  /**
   * Call after an erase is committed: frees the space of dead rows that no open snapshot
   * sees, and leaves the rest to the background. Calls during a vacuum share the next one.
   */
  scrub(userId: number): Promise<void> {
    this.#users.add(userId);
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      const users = [...this.#users];
      this.#users.clear();
      const parts = new Set<string>();
      for (const user of users) parts.add(await this.#count(user));
      // The background does the tables that are skipped or fail here.
      const done = sql`VACUUM (SKIP_LOCKED) ${listOf(this.#tablesOf([...parts]))}`.execute(this.#deps.db);
      await done.catch((error: unknown) => this.#failed(error));
    });
    // A failure reaches each caller; the next run only waits for the end of this one.
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Like `scrub`, complete on return. A failure is reported, and a service retries. */
  async scrubWholly(userId: number): Promise<void> {
    await this.#count(userId);
    await this.look().catch((error: unknown) => this.#failed(error));
  }

  /** Does the work that is due, unless another process does it. */
  async look(): Promise<void> {
    const due = await this.#due();
    if (due.length === 0) return;
    const settings = { statement_timeout: passTimeout };
    await this.#deps.longWork.run({ purpose: 'erasedText', settings }, async (db) => {
      const suffixes = due.map(({ name }) => name.slice(counterName.length));
      await waitForSnapshots(db);
      await sql`VACUUM ${listOf(this.#tablesOf(suffixes))}`.execute(db);
      for (const suffix of suffixes) await rebuildKeywordIndex(db, `keyword_documents${suffix}`);
      for (const { name, value } of due) await setDone(db, name, value);
    });
  }

  /** Tables that have, or had, rows of the users of these parts. */
  #tablesOf(suffixes: readonly string[]): string[] {
    const inParts = (table: string) => suffixes.map((suffix) => `${table}${suffix}`);
    const ofUsers = this.#deps.isSplit ? ['api_keys', ...splitTables.flatMap(inParts)] : erasedTables;
    return [...ofUsers, ...inParts('keyword_documents'), 'users'];
  }

  #failed(error: unknown): void {
    this.#deps.failures.failed('vacuum', error);
  }

  #due(): Promise<{ name: string; value: number }[]> {
    return (
      this.#deps.db
        .selectFrom('store_counters')
        .select(['name', 'value'])
        // A store of an earlier version also has a counter `erasings done`, which counts nothing here.
        .where(sql<boolean>`name ~ ${`^${counterName}(_p[0-9]+)?$`}`)
        .execute()
    );
  }

  /** @returns the suffix of the user's partition */
  async #count(userId: number): Promise<string> {
    const { write, parts } = this.#deps;
    return write(async (db) => {
      const suffix = await parts.suffixOf(db, userId);
      await sql`INSERT INTO store_counters (name, value) VALUES (${`${counterName}${suffix}`}, 1)
        ON CONFLICT (name) DO UPDATE SET value = store_counters.value + 1`.execute(db);
      return suffix;
    });
  }
}

const listOf = (tables: readonly string[]) => sql.join(tables.map((table) => sql.table(table)));

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

/** Unless there were more erasings since they were counted. */
async function setDone(db: Kysely<Database>, name: string, erasings: number): Promise<void> {
  await sql`DELETE FROM store_counters WHERE name = ${name} AND value = ${erasings}`.execute(db);
}

async function rebuildKeywordIndex(db: Kysely<Database>, table: string): Promise<void> {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    SELECT c.relname AS name, i.indisvalid AS "isValid"
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
    WHERE i.indrelid = ${table}::regclass AND a.amname = 'gin'`.execute(db);
  for (const { name, isValid } of rows) {
    // An interrupted REINDEX leaves an invalid index that contains the words.
    if (isValid) await sql`REINDEX INDEX CONCURRENTLY ${sql.id(name)}`.execute(db);
    else await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(db);
  }
}
