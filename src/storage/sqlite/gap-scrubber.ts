import type SqliteConnection from 'better-sqlite3';
import type { RawFile } from './file/raw-file.ts';
import { connect } from './open-store.ts';

/** Bytes of one read from the file; checking them takes less than a millisecond. */
const scanBytes = 1024 * 1024;
/** Time for which a step blocks writers. */
const stepMs = 10;

/** A commit outdates cached pages only if it changes a value: SQLite writes no page for an unchanged one. */
const countScrub = `INSERT INTO store_counters (name, value) VALUES ('gap scrubs', 1)
  ON CONFLICT (name) DO UPDATE SET value = value + 1`;

interface GapScrubberDeps {
  readonly path: string;
  readonly file: RawFile;
  /** Runs `step` when this process has no transaction open and the WAL is empty; tries again while it returns false. */
  readonly withEmptyWal: (step: () => boolean) => Promise<void>;
}

/**
 * Zeroes the bytes between the cell pointers and the cells of b-tree pages: when SQLite splits
 * or joins pages, old copies of moved cells stay there, and `secure_delete` zeroes a cell only
 * at its place when it is deleted. SQLite has no call for these bytes, so they are written to
 * the file directly, under SQLite's write lock, while the WAL is empty: no other process
 * writes the file then, and none reads these bytes. A transaction under the same lock makes
 * every other connection drop its cached pages, which have the old bytes, before it can write.
 */
export class GapScrubber {
  readonly #deps: GapScrubberDeps;

  constructor(deps: GapScrubberDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when no gap has text that was deleted and checkpointed before the call. New copies
   * are of existing rows: gaps that were clean when they were read need no second check.
   */
  async scrub(): Promise<void> {
    const { file, path, withEmptyWal } = this.#deps;
    const { pages, format } = await this.#findDirty();
    if (pages.length === 0) return;
    const connection = connect(path);
    try {
      connection.pragma('busy_timeout = 0');
      let next = 0;
      while (next < pages.length) {
        await withEmptyWal(() => {
          const done = this.#zeroSome(connection, pages, { from: next, format });
          next += done;
          return done > 0;
        });
      }
    } finally {
      connection.close();
    }
    await file.sync();
  }

  /** Numbers of the pages whose gap is not zero. */
  async #findDirty(): Promise<{ pages: number[]; format: PageFormat }> {
    const { file } = this.#deps;
    const header = Buffer.alloc(headerBytes);
    await file.read(header, 0);
    const format = readPageFormat(header);
    const { pageBytes } = format;
    const pages: number[] = [];
    const chunk = Buffer.alloc(scanBytes);
    for (let at = 0; ; at += scanBytes) {
      const count = Math.floor((await file.read(chunk, at)) / pageBytes);
      for (let i = 0; i < count; i++) {
        const number = at / pageBytes + i + 1;
        const page = chunk.subarray(i * pageBytes, (i + 1) * pageBytes);
        const gap = gapOf(page, number, format);
        if (gap && hasText(page, gap)) pages.push(number);
      }
      if (count * pageBytes < scanBytes) return { pages, format };
    }
  }

  /** @returns the number of pages done; 0 if another process writes, without any change */
  #zeroSome(
    connection: SqliteConnection.Database,
    pages: readonly number[],
    { from, format }: { from: number; format: PageFormat },
  ): number {
    try {
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return 0;
      throw error;
    }
    try {
      if (this.#deps.file.walBytes > 0) return 0;
      connection.exec(countScrub);
      const until = performance.now() + stepMs;
      let next = from;
      do this.#zero(pages[next++], format);
      while (next < pages.length && performance.now() < until);
      connection.exec('COMMIT');
      if (this.#deps.file.walBytes === 0)
        throw new Error('The scrubbing of gaps was not committed to the WAL.');
      return next - from;
    } finally {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    }
  }

  #zero(number: number, format: PageFormat): void {
    const { file } = this.#deps;
    const page = Buffer.alloc(format.pageBytes);
    const at = (number - 1) * format.pageBytes;
    // The file may have become shorter, or the page may have another type now.
    if (file.readSync(page, at) < format.pageBytes) return;
    const gap = gapOf(page, number, format);
    if (gap && isWholePage(page, number, gap, format)) file.zeroSync(at + gap.start, gap.end - gap.start);
  }
}

/** The bytes from `start` to `end` of a page, without `end`. */
interface Gap {
  readonly start: number;
  readonly end: number;
}

/** Format of all pages, stated in the first: https://sqlite.org/fileformat2.html#the_database_header */
interface PageFormat {
  readonly pageBytes: number;
  /** Size of the page without the bytes reserved at its end. */
  readonly usableBytes: number;
}

/** Bytes of the first page that state the format. */
const headerBytes = 100;
/** Page types: interior and leaf, of an index and of a table. */
const interiorTypes: readonly number[] = [2, 5];
const leafTypes: readonly number[] = [10, 13];

/** @throws Error for a file with kinds of pages that memoryd's stores do not have */
export function readPageFormat(header: Buffer): PageFormat {
  const stated = header.readUInt16BE(16);
  const pageBytes = stated === 1 ? 65_536 : stated;
  // Pages of an auto-vacuum map could be mistaken for b-tree pages; no store of memoryd has them.
  if (header.readUInt32BE(52) !== 0) {
    throw new Error('The store was set to auto_vacuum: set it to NONE and run VACUUM.');
  }
  return { pageBytes, usableBytes: pageBytes - header[20] };
}

/**
 * The unused space of a b-tree page between its cell pointers and its cells:
 * https://sqlite.org/fileformat2.html#b_tree_pages. Undefined for other pages: they begin with the
 * number of another page or with zeros, and a number below 2^25 (a file of 137 GB) is not a page type.
 */
export function gapOf(page: Buffer, number: number, { usableBytes }: PageFormat): Gap | undefined {
  const at = number === 1 ? headerBytes : 0;
  const type = page[at];
  const isInterior = interiorTypes.includes(type);
  if (!isInterior && !leafTypes.includes(type)) return undefined;
  const start = at + (isInterior ? 12 : 8) + 2 * page.readUInt16BE(at + 3);
  const end = page.readUInt16BE(at + 5) || 65_536;
  return start < end && end <= usableBytes ? { start, end } : undefined;
}

/** Whether all cells of the page are behind its gap, as in every b-tree page. */
export function isWholePage(page: Buffer, number: number, { start, end }: Gap, format: PageFormat): boolean {
  const at = number === 1 ? headerBytes : 0;
  const pointersAt = at + (interiorTypes.includes(page[at]) ? 12 : 8);
  for (let pointer = pointersAt; pointer < start; pointer += 2) {
    const cell = page.readUInt16BE(pointer);
    if (cell < end || cell >= format.usableBytes) return false;
  }
  const firstFree = page.readUInt16BE(at + 1);
  return firstFree === 0 || (firstFree >= end && firstFree < format.usableBytes);
}

const zeros = Buffer.alloc(65_536);

function hasText(page: Buffer, { start, end }: Gap): boolean {
  return page.compare(zeros, 0, end - start, start, end) !== 0;
}
