import { LRUCache } from 'lru-cache';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { otherWork } from '../lib/loop-time.ts';
import type { IndexHead, IndexReader, IndexRow, SegmentRef } from './ports.ts';
import { PostingsCache } from './postings/postings-cache.ts';
import { DocCache, RecordCache } from './rows/doc-cache.ts';
import type { TextPassages } from './rows/text-passages.ts';
import { bytesOfTraits, type TextTraits } from './rows/text-traits.ts';
import { UserIndex } from './rows/user-index.ts';
import { loadRows, UserSegmentError } from './segments/read-segments.ts';
import { forgetVectors, loadVectorSegments, loadVectors } from './segments/vector-loader.ts';

/**
 * Maximum share of changed rows that are applied to a cached
 * index; beyond it, the whole index is read again, in pieces.
 */
const shareAtOnce = 1 / 8;
/** Maximum listings of segments, if a merge removes some during the read. */
const segmentTries = 3;
/** Share of the memory for indexes that recent records may take, and that recent postings may take. */
const share = 1 / 8;
/** Share that traits of texts may take, and that passages of long texts may take. */
const shareOfTexts = 1 / 16;

export interface IndexCacheOptions {
  /** Memory for the indexes of all users; the least recently searched are evicted. */
  readonly bytesMax: number;
  readonly readerFor: (user: Pick<UserRef, 'id'>) => IndexReader;
  /**
   * Called if segments of the user cannot be read and must
   * be rewritten; the index was read from rows instead.
   */
  readonly onUnreadable?: (user: Pick<UserRef, 'id'>, error: UserSegmentError) => void;
}

/** Replaced at each change of its index, because the cache counts the bytes of an entry once. */
interface Entry {
  readonly index: UserIndex;
}

interface RefreshRequest {
  readonly reader: IndexReader;
  /** Read before the refresh. */
  readonly head: IndexHead;
  readonly withVectors: boolean;
}

/** Segments of a user, listed once for rows and vectors: one that a merge removed since makes the read list them again. */
class ListedSegments {
  readonly reader: IndexReader;
  #listed: { readonly epoch: number; readonly segments: readonly SegmentRef[] } | undefined;

  constructor(reader: IndexReader) {
    this.reader = reader;
  }

  async of(epoch: number, isAgain: boolean): Promise<readonly SegmentRef[]> {
    if (isAgain || this.#listed?.epoch !== epoch)
      this.#listed = { epoch, segments: await this.reader.segments.list(epoch) };
    return this.#listed.segments;
  }
}

/** The indexes of the users who searched last, updated by the changes since their last read. */
export class IndexCache {
  readonly records: RecordCache;
  readonly traits: DocCache<TextTraits>;
  readonly passages: DocCache<TextPassages>;
  readonly #postings: PostingsCache;
  readonly #readerFor: (user: Pick<UserRef, 'id'>) => IndexReader;
  readonly #onUnreadable: IndexCacheOptions['onUnreadable'];
  readonly #indexes: LRUCache<number, Entry>;
  readonly #refreshing = new Map<number, Promise<UserIndex>>();

  constructor({ bytesMax, readerFor, onUnreadable }: IndexCacheOptions) {
    this.#readerFor = readerFor;
    this.#onUnreadable = onUnreadable;
    this.records = new RecordCache(bytesMax * share);
    this.traits = new DocCache(bytesMax * shareOfTexts, bytesOfTraits);
    this.passages = new DocCache<TextPassages>(bytesMax * shareOfTexts, ({ bytes }) => bytes);
    const indexBytesMax = bytesMax * (1 - 2 * share - 2 * shareOfTexts);
    // Useful postings of a large user may exceed their share while indexes leave room.
    this.#postings = new PostingsCache(bytesMax * share, () => indexBytesMax - this.#indexes.calculatedSize);
    this.#indexes = new LRUCache({
      maxSize: indexBytesMax,
      sizeCalculation: ({ index }) => Math.min(index.bytes, indexBytesMax),
      // Postings of an evicted or forgotten index would take room until others need it.
      dispose: ({ index }) => index.postings.clear(),
      noDisposeOnSet: true,
    });
  }

  get users(): number {
    return this.#indexes.size;
  }

  get bytes(): number {
    const texts = this.records.bytes + this.traits.bytes + this.passages.bytes;
    return this.#indexes.calculatedSize + texts + this.#postings.bytes;
  }

  /** Drops all cached data of the user: erased records must not stay. */
  forget(user: UserRef): void {
    const entry = this.#indexes.get(user.id);
    if (entry) this.#forgetTexts(entry.index);
    else {
      // Without the index, the docs of the user are unknown.
      this.records.clear();
      this.traits.clear();
      this.passages.clear();
    }
    this.#indexes.delete(user.id);
  }

  #forgetTexts({ size, columns: { docs } }: UserIndex): void {
    if (this.records.isEmpty && this.traits.isEmpty && this.passages.isEmpty) return;
    for (let row = 0; row < size; row++) this.#forgetText(docs[row]);
  }

  #forgetText(doc: number): void {
    this.records.forget(doc);
    this.traits.forget(doc);
    this.passages.forget(doc);
  }

  /**
   * The user's index with at least all changes committed before this call.
   * @param withVectors whether vectors are requested;
   * without, vectors that are not in the process are not read
   */
  async get(
    user: Pick<UserRef, 'id'>,
    { withVectors }: { readonly withVectors: boolean },
  ): Promise<UserIndex> {
    const reader = this.#readerFor(user);
    let head = await reader.head();
    let index = this.#indexes.get(user.id)?.index;
    // A refresh reads the vectors of rows after it applied the rows, which others see already.
    const lacksVectors = (of: UserIndex) => withVectors && of.vectorsRev < head.rev;
    while (index === undefined || !isOf(index, head) || index.rev < head.rev || lacksVectors(index)) {
      index = await this.#refresh(user, { reader, head, withVectors });
      // Rows were erased or the space changed during the read; later changes are not awaited.
      if (!isOf(index, head)) head = { ...(await reader.head()), rev: head.rev };
    }
    return index;
  }

  /** Refreshes run one at a time per user; a caller that finds one running waits for it and checks again. */
  #refresh(user: Pick<UserRef, 'id'>, asked: RefreshRequest): Promise<UserIndex> {
    const running = this.#refreshing.get(user.id);
    if (running) return running;
    const refresh = this.#read(user, asked).finally(() => this.#refreshing.delete(user.id));
    this.#refreshing.set(user.id, refresh);
    return refresh;
  }

  async #read(user: Pick<UserRef, 'id'>, { reader, head, withVectors }: RefreshRequest): Promise<UserIndex> {
    const known = this.#indexes.get(user.id)?.index;
    const listed = new ListedSegments(reader);
    let index = known && isOf(known, head) ? known : await this.#fromSegments(user, listed, head);
    let rows = await changesAfter(reader, index.rev);
    if (index === known && rows.length > Math.max(rowsAtOnce, index.size * shareAtOnce)) {
      index = await this.#fromSegments(user, listed, head);
      rows = await changesAfter(reader, index.rev);
    }
    // Rows may include later changes: applying them again at the next refresh does no harm.
    const rev = Math.max(head.rev, index.rev);
    await this.#apply(index, rows, { rev, isSeen: index === known });
    if (withVectors || index.vectorsRev >= 0) await this.#readVectors(user, listed, index);
    if (known && known !== index) known.postings.clear();
    this.#indexes.set(user.id, { index });
    this.#postings.fit();
    return index;
  }

  /** An index with the rows of segments; empty if there are no readable segments. */
  async #fromSegments(
    user: Pick<UserRef, 'id'>,
    listed: ListedSegments,
    head: IndexHead,
  ): Promise<UserIndex> {
    for (let tries = 0; tries < segmentTries; tries++) {
      const index = new UserIndex(head, this.#postings);
      const segments = await listed.of(head.epoch, tries > 0);
      const isLoaded = await this.#unlessUnreadable(user, loadRows(listed.reader, index, segments));
      if (isLoaded === undefined) break;
      if (!isLoaded) continue;
      this.#forgetTexts(index);
      return index;
    }
    return new UserIndex(head, this.#postings);
  }

  /** Updates vectors to the rows; the first read takes them from segments, if readable. */
  async #readVectors(user: Pick<UserRef, 'id'>, listed: ListedSegments, index: UserIndex): Promise<void> {
    const { reader } = listed;
    for (let tries = 0; index.vectorsRev < 0 && tries < segmentTries; tries++) {
      forgetVectors(index);
      const segments = await listed.of(index.epoch, tries > 0);
      const isLoaded = await this.#unlessUnreadable(user, loadVectorSegments(reader, index, segments));
      if (isLoaded) break;
      forgetVectors(index);
      if (isLoaded === undefined) break;
    }
    await loadVectors(reader, index);
    index.vectorsRev = index.rev;
  }

  /** Undefined if a segment cannot be read, which is reported. */
  async #unlessUnreadable<T>(user: Pick<UserRef, 'id'>, read: Promise<T>): Promise<T | undefined> {
    try {
      return await read;
    } catch (error) {
      if (!(error instanceof UserSegmentError)) throw error;
      this.#onUnreadable?.(user, error);
      return undefined;
    }
  }

  /**
   * @param isSeen whether running searches use the index:
   * then all changes apply in one turn of the event loop
   */
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
      for (const { doc } of taken) this.#forgetText(doc);
      from += piece;
    } while (from < rows.length);
  }
}

/** Whether an index can be updated by changes alone. */
function isOf(index: UserIndex, head: IndexHead): boolean {
  return (
    index.epoch === head.epoch && index.space === head.space && (index.second?.space ?? 0) === head.second
  );
}

const rowsPerRead = 2000;
/** Rows applied before the event loop gets a turn, about 10 ms. */
const rowsAtOnce = 4000;

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
  // A row that changed between two reads is in both; the later one counts.
  return rows.filter((row, i) => row.doc !== rows[i + 1]?.doc);
}
