import type { Kysely } from 'kysely';
import type { Slice, SlicedWork } from '../../../domain/system/engine-maintenance.ts';
import type { RebuildStatus } from '../../../domain/system/system-service.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { timedWriteOf } from '../core/write-times.ts';
import type { UpkeepDeps } from '../sql-driver.ts';
import { countRecords } from './check-store.ts';
import { nextBatch, type RebuildCursor, userAfter } from './rebuild-cursor.ts';
import { nextEpoch, rewriteDocuments } from './rewrite-documents.ts';

const versionKey = 'analyzer_version';
const cursorKey = 'analyzer_rebuild';
/** Version of stores that do not state one. */
const firstVersion = 1;

async function readCursor(db: Kysely<Database>): Promise<RebuildCursor | undefined> {
  const text = await readInfo(db, cursorKey);
  return text === undefined ? undefined : (JSON.parse(text) as RebuildCursor);
}

/**
 * Rewrites every document for a newer analyser, batch by batch, during searches (ADR 5). The
 * cursor moves in the transaction of its batch, under the lock of the batch's user: a rebuild
 * continues after its last batch, and several processes take turns without repeating work.
 */
export class AnalyzerRebuild implements SlicedWork {
  readonly #parts: UpkeepDeps;
  #failed = false;
  #isDone = false;

  constructor(parts: UpkeepDeps) {
    this.#parts = parts;
  }

  async status(): Promise<RebuildStatus> {
    const cursor = await readCursor(this.#parts.read);
    if (!cursor) return { state: 'idle', done: 0, total: 0 };
    const { done, total } = cursor;
    return { state: this.#failed ? 'retrying' : 'running', done, total };
  }

  #isOurs(cursor: RebuildCursor): boolean {
    return cursor.version === this.#parts.indexer.version;
  }

  async slice(): Promise<Slice> {
    if (this.#isDone) return { more: false, workedMs: 0 };
    // The caller of the slice logs failures and retries.
    const slice = await this.#next().catch((error: unknown) => {
      this.#failed = true;
      throw error;
    });
    this.#failed = false;
    this.#isDone = !slice.more;
    return slice;
  }

  async #next(): Promise<Slice> {
    const { indexer, read } = this.#parts;
    const cursor = await readCursor(read);
    if (!cursor || !this.#isOurs(cursor))
      return { more: await this.#parts.write((db) => this.#begin(db)), workedMs: 0 };
    const { workedMs } = await timedWriteOf(this.#parts, cursor.userId, async (handle, keywords) => {
      const current = await readCursor(handle);
      // Another process continued in the meantime.
      if (current?.userId !== cursor.userId || !this.#isOurs(current)) return;
      const db = new UserDatabase(handle, cursor.userId);
      const { refs, next } = await nextBatch(db, current);
      await rewriteDocuments({ db, keywords, indexer }, refs);
      if (next) await writeInfo(handle, cursorKey, JSON.stringify(next));
      else await this.#leaveUser(handle, db, current);
    });
    return { more: true, workedMs };
  }

  async #leaveUser(
    handle: Kysely<Database>,
    db: UserDatabase,
    { version, userId, done, total }: RebuildCursor,
  ): Promise<void> {
    await nextEpoch(db);
    const next = await userAfter(handle, userId);
    if (next === undefined) await this.#finish(handle);
    else await writeInfo(handle, cursorKey, JSON.stringify({ version, userId: next, done, total }));
  }

  /** @returns whether there is anything to write again */
  async #begin(db: Kysely<Database>): Promise<boolean> {
    const { version } = this.#parts.indexer;
    const stored = Number((await readInfo(db, versionKey)) ?? firstVersion);
    const cursor = await readCursor(db);
    // A newer program that serves the same database decides.
    if (stored > version || (cursor && cursor.version > version)) return false;
    const first = stored < version ? await userAfter(db, 0) : undefined;
    if (first === undefined) {
      await this.#finish(db);
      return false;
    }
    if (cursor && this.#isOurs(cursor)) return true;
    const total = await countRecords(db);
    await writeInfo(db, cursorKey, JSON.stringify({ version, userId: first, done: 0, total }));
    return true;
  }

  async #finish(db: Kysely<Database>): Promise<void> {
    await writeInfo(db, versionKey, String(this.#parts.indexer.version));
    await removeInfo(db, cursorKey);
  }
}

/** Facts of the whole store, by key. */
async function readInfo(db: Kysely<Database>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('store_info').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

async function writeInfo(db: Kysely<Database>, key: string, value: string): Promise<void> {
  await db
    .insertInto('store_info')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

async function removeInfo(db: Kysely<Database>, key: string): Promise<void> {
  await db.deleteFrom('store_info').where('key', '=', key).execute();
}
