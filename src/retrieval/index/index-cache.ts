import { setImmediate as otherWork } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { IndexHead, IndexReader, IndexRow } from '../ports.ts';
import { PostingsCache } from './postings-cache.ts';
import { RecordCache } from './record-cache.ts';
import { UserIndex } from './user-index.ts';
import { loadVectors } from './vector-loader.ts';

const rowsPerRead = 2000;
/** Taken in before others get their turn, some 10 ms. */
const rowsAtOnce = 4000;
/** Maximum changed rows that are applied to a cached index; beyond it the whole index is read again, in pieces. */
const shareAtOnce = 1 / 8;
/** Of the memory for indexes, what the records answered last and the postings asked for last may take, each. */
const share = 1 / 8;

export interface IndexCacheOptions {
  /** Memory that the indexes of all users may take together; those least recently searched go first. */
  readonly bytesMax: number;
  readonly readerFor: (user: Pick<UserRef, 'id'>) => IndexReader;
}

/** The indexes of the users who searched last, each brought up to date by what changed since it was read. */
export class IndexCache {
  readonly records: RecordCache;
  readonly #postings: PostingsCache;
  readonly #readerFor: (user: Pick<UserRef, 'id'>) => IndexReader;
  readonly #indexes: LRUCache<number, UserIndex>;
  readonly #refreshing = new Map<number, Promise<UserIndex>>();

  constructor({ bytesMax, readerFor }: IndexCacheOptions) {
    this.#readerFor = readerFor;
    this.records = new RecordCache(bytesMax * share);
    this.#postings = new PostingsCache(bytesMax * share);
    const indexBytesMax = bytesMax * (1 - 2 * share);
    this.#indexes = new LRUCache({
      maxSize: indexBytesMax,
      sizeCalculation: (index) => Math.min(index.bytes, indexBytesMax),
      // Whether it was pushed out, replaced or forgotten: its postings would take room until others need it.
      dispose: (index) => index.postings.clear(),
    });
  }

  get users(): number {
    return this.#indexes.size;
  }

  get bytes(): number {
    return this.#indexes.calculatedSize + this.records.bytes + this.#postings.bytes;
  }

  /** Drops what is held of the user: records that were erased must not stay. */
  forget(user: UserRef): void {
    const index = this.#indexes.get(user.id);
    if (index) for (let row = 0; row < index.size; row++) this.records.forget(index.columns.docs[row]);
    this.#indexes.delete(user.id);
  }

  /** The user's index with at least everything committed before this call. */
  async get(user: Pick<UserRef, 'id'>): Promise<UserIndex> {
    const reader = this.#readerFor(user);
    let head = await reader.head();
    let index = this.#indexes.get(user.id);
    while (index === undefined || !isOf(index, head) || index.rev < head.rev) {
      index = await this.#refresh(user, reader);
      // Rows were erased or the space was changed during the read; later changes are not waited for.
      if (!isOf(index, head)) head = { ...(await reader.head()), rev: head.rev };
    }
    return index;
  }

  /** Refreshes run one at a time per user; who finds one running waits for it and looks again. */
  #refresh(user: Pick<UserRef, 'id'>, reader: IndexReader): Promise<UserIndex> {
    const running = this.#refreshing.get(user.id);
    if (running) return running;
    const refresh = this.#read(user, reader).finally(() => this.#refreshing.delete(user.id));
    this.#refreshing.set(user.id, refresh);
    return refresh;
  }

  async #read(user: Pick<UserRef, 'id'>, reader: IndexReader): Promise<UserIndex> {
    const head = await reader.head();
    const known = this.#indexes.get(user.id);
    let index = known && isOf(known, head) ? known : new UserIndex(head, this.#postings);
    let rows = await changesAfter(reader, index.rev);
    if (index === known && rows.length > Math.max(rowsAtOnce, index.size * shareAtOnce)) {
      index = new UserIndex(head, this.#postings);
      rows = await changesAfter(reader, index.rev);
    }
    // A row of a later change may be among them: taking it again at the next refresh does no harm.
    await this.#apply(index, rows, { rev: head.rev, isSeen: index === known });
    await loadVectors(reader, index);
    this.#indexes.set(user.id, index);
    return index;
  }

  /** @param isSeen whether searches on their way hold the index: then it changes in one turn */
  async #apply(
    index: UserIndex,
    rows: readonly IndexRow[],
    { rev, isSeen }: { readonly rev: number; readonly isSeen: boolean },
  ): Promise<void> {
    const piece = isSeen ? rows.length : rowsAtOnce;
    let from = 0;
    index.columns.reserve(index.size + rows.length);
    do {
      if (from > 0) await otherWork();
      const taken = rows.slice(from, from + piece);
      index.apply(taken, rev);
      for (const { doc } of taken) this.records.forget(doc);
      from += piece;
    } while (from < rows.length);
  }
}

/** Rows as last committed, in order of doc. */
async function changesAfter(reader: IndexReader, after: number): Promise<IndexRow[]> {
  const rows: IndexRow[] = [];
  let rev = after;
  let doc = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const read = await reader.changesSince(rev, doc, rowsPerRead);
    rows.push(...read);
    const last = read.at(-1);
    if (last === undefined || read.length < rowsPerRead) break;
    ({ rev, doc } = last);
    await otherWork();
  }
  rows.sort((a, b) => a.doc - b.doc);
  // A row that changed between two reads came twice, the later one behind.
  return rows.filter((row, i) => row.doc !== rows[i + 1]?.doc);
}

/** Whether what an index holds can be brought up to date by what changed. */
function isOf(index: UserIndex, head: IndexHead): boolean {
  return (
    index.epoch === head.epoch && index.space === head.space && (index.second?.space ?? 0) === head.second
  );
}
