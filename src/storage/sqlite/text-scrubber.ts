import { setTimeout as wait } from 'node:timers/promises';
import type SqliteConnection from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { AppError, inPart } from '../../domain/shared/errors.ts';
import { throttled } from '../../lib/throttle.ts';
import type { Database } from '../sql/core/schema.ts';
import type { WriteQueue } from '../sql/core/write-queue.ts';
import type { ReadTransaction } from './dialect.ts';
import type { RawFile } from './file/raw-file.ts';
import { GapScrubber } from './gap-scrubber.ts';

/** Index pages of 4 KB written in one step: a write waits some 10 ms for it. */
const pagesAtOnce = 32;
/** A merge of fewer segments does not continue unless it is begun again (the `usermerge` of FTS5). */
const mergeMin = 4;
/** Maximum steps in a row without a change; then one step rewrites everything. */
const idleStepsMax = 3;
const checkpointTries = 50;
const checkpointPauseMs = 100;

export interface TextScrubberDeps {
  readonly path: string;
  readonly file: RawFile;
  readonly sqlite: SqliteConnection.Database;
  readonly queue: WriteQueue<Kysely<Database>>;
  readonly turn: ReadTransaction;
}

interface StepOptions {
  /** Whether the current merge includes all segments that existed at the request. */
  readonly began: boolean;
  readonly rewriteAll: boolean;
}

/** Deletes of other writers during the merge are not waited for. */
function isDone({ tombstonePages, merging }: IndexStructure, began: boolean): boolean {
  return tombstonePages === 0 || (began && merging === 0);
}

const stillInFiles = inPart('The text is deleted, but not all of it is out of the files yet');

/**
 * Removes deleted text from the files. `secure_delete` has zeroed the rows by
 * then. There remain terms in index segments, since a contentless FTS5 table keeps
 * a deleted term until a merge; the WAL; and copies of cells in the gaps of pages.
 */
export class TextScrubber {
  readonly #deps: TextScrubberDeps;
  readonly #gaps: GapScrubber;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: TextScrubberDeps) {
    this.#deps = deps;
    this.#gaps = new GapScrubber({ ...deps, withEmptyWal: (step) => this.#withEmptyWal(step) });
  }

  /**
   * Runs one at a time; calls during a run share the next.
   * @throws 503 if another process, a backup or a check, reads for 5 s
   */
  scrub(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      await this.#mergeErased().catch(stillInFiles);
      await this.#withEmptyWal(() => true);
      await this.#gaps.scrub();
    });
    // A failure reaches each caller; the next run only waits for the end of this one.
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Resolves when no scrub is running. */
  idle(): Promise<void> {
    return this.#last;
  }

  /** Runs `step` after a checkpoint that emptied the WAL, until it returns true. */
  async #withEmptyWal(step: () => boolean): Promise<void> {
    for (let tries = 0; tries < checkpointTries; tries++) {
      const done = await this.#deps.queue.between(() => this.#checkpoint() && step()).catch(stillInFiles);
      if (done) return;
      await wait(checkpointPauseMs);
    }
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      'The text is deleted, but another process keeps it in the files.',
      {
        retryAfter: 10,
      },
    );
  }

  #checkpoint(): boolean {
    const { sqlite, turn } = this.#deps;
    turn.end();
    const patience = sqlite.pragma('busy_timeout', { simple: true });
    sqlite.pragma('busy_timeout = 0');
    try {
      const [{ busy }] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
      return busy === 0;
    } finally {
      sqlite.pragma(`busy_timeout = ${String(patience)}`);
    }
  }

  async #mergeErased(): Promise<void> {
    let before = '';
    let idle = 0;
    for (let began = false; ; began = true) {
      const rewriteAll = idle > idleStepsMax;
      const structure = await throttled(() =>
        this.#deps.queue.run((db) => this.#step(db, { began, rewriteAll })),
      );
      if (isDone(structure, began)) return;
      const after = JSON.stringify([structure, this.#changes()]);
      idle = after === before ? idle + 1 : 0;
      before = after;
    }
  }

  /** @returns the structure before the step */
  async #step(db: Kysely<Database>, { began, rewriteAll }: StepOptions): Promise<IndexStructure> {
    const structure = readStructure(this.#deps.sqlite);
    if (isDone(structure, began)) return structure;
    if (rewriteAll) {
      await sql`INSERT INTO keyword_index (keyword_index) VALUES ('optimize')`.execute(db);
      return structure;
    }
    // A negative number begins a merge of all segments, or continues one if nothing was written since.
    const pages = began && structure.merging >= mergeMin ? pagesAtOnce : -pagesAtOnce;
    await sql`INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', ${pages})`.execute(db);
    return structure;
  }

  #changes(): number {
    return this.#deps.sqlite.prepare<[], number>('SELECT total_changes()').pluck().get() ?? 0;
  }
}

/** Fields of the structure record of an FTS5 index: https://sqlite.org/src/file/ext/fts5/fts5_index.c */
interface IndexStructure {
  readonly segments: number;
  /** Pages of deleted documents whose terms are still in a segment; 0 if no deleted term is left. */
  readonly tombstonePages: number;
  /** Segments in the unfinished merge of the oldest ones; 0 without one. */
  readonly merging: number;
}

/** Follows the cookie of a structure with tombstones, as every `contentless_delete` index has. */
const versionMark = 0xff000001;

class Varints {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** SQLite's varint: seven bits a byte, the highest first, and all eight of a ninth. */
  next(): number {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('The structure of the keyword index cannot be read.');
      if (i === 8) return value * 256 + byte;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return value;
  }

  skip(count: number): void {
    for (let i = 0; i < count; i++) this.next();
  }
}

function decodeStructure(record: Buffer): IndexStructure {
  if (record.readUInt32BE(4) !== versionMark) throw new Error('The keyword index has another structure.');
  const varints = new Varints(record, 8);
  const levels = varints.next();
  const segments = varints.next();
  varints.skip(1);
  let tombstonePages = 0;
  const mergingAt: number[] = [];
  for (let level = 0; level < levels; level++) {
    mergingAt.push(varints.next());
    const count = varints.next();
    for (let segment = 0; segment < count; segment++) {
      // Its id, first and last page, and the first and last of the origins of its documents.
      varints.skip(5);
      tombstonePages += varints.next();
      varints.skip(2);
    }
  }
  // A merge writes its output to the level after its own: the oldest merge is on one of the last two levels.
  return { segments, tombstonePages, merging: Math.max(0, ...mergingAt.slice(-2)) };
}

const structureRow = 10;

function readStructure(sqlite: SqliteConnection.Database): IndexStructure {
  const record = sqlite
    .prepare<[number], Buffer>('SELECT block FROM keyword_index_data WHERE id = ?')
    .pluck()
    .get(structureRow);
  if (!record) throw new Error('The keyword index has no structure.');
  return decodeStructure(record);
}
