import type SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import type { IdleWork } from '../../domain/system/engine-maintenance.ts';
import type { Database } from '../sql/core/schema.ts';
import type { WriteQueue } from '../sql/core/write-queue.ts';

/** Index pages of 4 KB written in one step: 2 ms at the median, 6 at most (50,000 documents, a quiet machine). */
const pagesAtOnce = 8;
/** Changes below which a step had nothing to merge (https://sqlite.org/fts5.html#the_merge_command). */
const changesMin = 2;
/**
 * All segments are merged into one after the index grew by this share; until then only small ones are joined.
 */
const growthToMergeAll = 0.05;

/** Merges the segments of grouped commits in the FTS5 index: every keyword lookup reads each segment. */
export class SegmentMerger implements IdleWork {
  readonly #queue: WriteQueue<Kysely<Database>>;
  readonly #changes: SqliteConnection.Statement<[], number>;
  readonly #lastDoc: SqliteConnection.Statement<[], number>;
  #steps = 0;
  #merging = false;
  #mergedUpTo = 0;

  constructor(sqlite: SqliteConnection.Database, queue: WriteQueue<Kysely<Database>>) {
    this.#queue = queue;
    this.#changes = sqlite.prepare<[], number>('SELECT total_changes()').pluck();
    this.#lastDoc = sqlite.prepare<[], number>("SELECT value FROM store_counters WHERE name = 'doc'").pluck();
  }

  writes(): number {
    return this.#queue.taken - this.#steps;
  }

  /** Runs through the write queue, so that a write waits for one step at most. */
  async step(): Promise<boolean> {
    this.#steps++;
    this.#merging = await this.#queue.run(async (db) => {
      const before = this.#changes.get() ?? 0;
      const pages = this.#pages();
      await sql`INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', ${pages})`.execute(db);
      return (this.#changes.get() ?? 0) - before >= changesMin;
    });
    return this.#merging;
  }

  /** A negative number puts all segments on one level, to be merged by this step and the following ones. */
  #pages(): number {
    const doc = this.#lastDoc.get() ?? 0;
    if (this.#merging || doc - this.#mergedUpTo <= doc * growthToMergeAll) return pagesAtOnce;
    this.#mergedUpTo = doc;
    return -pagesAtOnce;
  }
}
