import type SqliteConnection from 'better-sqlite3';

/** Fields of the structure record of an FTS5 index: https://sqlite.org/src/file/ext/fts5/fts5_index.c */
export interface IndexStructure {
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

export function decodeStructure(record: Buffer): IndexStructure {
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

export function readStructure(sqlite: SqliteConnection.Database): IndexStructure {
  const record = sqlite
    .prepare<[number], Buffer>('SELECT block FROM keyword_index_data WHERE id = ?')
    .pluck()
    .get(structureRow);
  if (!record) throw new Error('The keyword index has no structure.');
  return decodeStructure(record);
}
