import type { Kysely } from 'kysely';
import type { RebuildStatus } from '../../../domain/system/store-probe.ts';
import { BackgroundLoop } from '../../../lib/background-loop.ts';
import { rest, throttled } from '../../../lib/throttle.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { countRecords } from '../maintenance/check-store.ts';
import { readInfo, removeInfo, writeInfo } from '../maintenance/store-info.ts';
import type { UpkeepDeps } from '../maintenance/upkeep-deps.ts';
import { nextBatch, type RebuildCursor, userAfter } from './rebuild-cursor.ts';
import { nextEpoch, rewriteDocuments } from './rewrite-documents.ts';

const versionKey = 'analyzer_version';
const cursorKey = 'analyzer_rebuild';
/** Of stores that do not say. */
const firstVersion = 1;
const retryMs = 5000;

async function readCursor(db: Kysely<Database>): Promise<RebuildCursor | undefined> {
  const text = await readInfo(db, cursorKey);
  return text === undefined ? undefined : (JSON.parse(text) as RebuildCursor);
}

/**
 * Writes every document anew for a newer analyser, batch by batch, while searches go on (ADR 5). The cursor moves in
 * the transaction of its batch, under the lock of the batch's user: a rebuild goes on where it stopped, and several
 * processes take turns without doing anything twice.
 */
export class AnalyzerRebuild extends BackgroundLoop {
  readonly #parts: UpkeepDeps;
  #failed = false;

  constructor(parts: UpkeepDeps) {
    super('analyzer_rebuild', parts.failures);
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

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const more = await throttled(() => this.#step(), signal);
        this.#failed = false;
        if (!more) return;
      } catch (error) {
        this.failed(error);
        this.#failed = true;
        await rest(retryMs, signal);
      }
    }
  }

  /** @returns whether anything remains */
  async #step(): Promise<boolean> {
    const { indexer, read } = this.#parts;
    const cursor = await readCursor(read);
    if (!cursor || !this.#isOurs(cursor)) return this.#parts.write((db) => this.#begin(db));
    await this.#parts.writeOf(cursor.userId, async (handle, keywords) => {
      const current = await readCursor(handle);
      // Another process moved on meanwhile.
      if (current?.userId !== cursor.userId || !this.#isOurs(current)) return;
      const db = new UserDatabase(handle, cursor.userId);
      const { refs, next } = await nextBatch(db, current);
      await rewriteDocuments({ db, keywords, indexer }, refs);
      if (next) await writeInfo(handle, cursorKey, JSON.stringify(next));
      else await this.#leaveUser(handle, db, current);
    });
    return true;
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

  /** @returns whether there is anything to build anew */
  async #begin(db: Kysely<Database>): Promise<boolean> {
    const { version } = this.#parts.indexer;
    const stored = Number((await readInfo(db, versionKey)) ?? firstVersion);
    const cursor = await readCursor(db);
    // A newer program that runs beside this one on PostgreSQL decides.
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
