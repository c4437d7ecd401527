import { otherWork } from '../../lib/loop-time.ts';
import { Columns, Interner } from '../columns/columns.ts';
import { listsOf, numberListsOf } from '../columns/number-list-column.ts';
import { decodeRows, encodeRows, type RowBlock } from '../columns/row-segment.ts';
import type { IndexHead, IndexReader, IndexRow, SegmentChange, SegmentRef } from '../ports.ts';
import { UserIndex } from '../rows/user-index.ts';
import { joinSmall } from './read-segments.ts';
import { sealSegment } from './segment-file.ts';

const rowsPerRead = 2000;
/**
 * All segments are rewritten if rows that are repeated in later
 * segments reach this share of the others, and `staleMin`.
 */
const staleShareMax = 1 / 2;
const staleMin = 4096;

/** Rows that changed since the last segment was written. */
interface Changed {
  /** Changed versions that are in segments. */
  readonly old: readonly IndexRow[];
  /**
   * Later versions; undefined if they exceed a segment, or if segments lack some versions for another reason.
   */
  readonly fresh: readonly IndexRow[] | undefined;
}

/**
 * The next segment of rows: changes since the last one, and later versions.
 * @param rowsMax see `SegmentSizes`
 * @returns undefined if segments are complete, `again` if so much changed that all must be rewritten
 * @throws UserSegmentError
 */
export async function nextRows(
  reader: IndexReader,
  head: IndexHead,
  present: readonly SegmentRef[],
  rowsMax: number,
): Promise<SegmentChange | 'again' | undefined> {
  const last = present.at(-1);
  if (isStale(present)) return 'again';
  if (last?.whole === 1 && last.lastRev === head.rev) return undefined;
  const changed = last ? await changesAfterSegment(reader, last, rowsMax) : { old: [], fresh: undefined };
  if (changed.old.length > rowsMax) return 'again';
  const fresh = changed.fresh ?? (await rowsAfter(reader, last?.lastDoc ?? 0, rowsMax));
  if (last && changed.old.length + fresh.length === 0) return extension(head, last);
  const index = new UserIndex({ epoch: head.epoch, space: 0 });
  index.apply([...changed.old, ...fresh], head.rev);
  const { block, removed } = await joinSmall(reader, toBlock(index), present, {
    decode: decodeRows,
    join: joinBlocks,
    entriesMax: rowsMax,
  });
  const segment: SegmentRef = {
    space: 0,
    number: (last?.number ?? 0) + 1,
    lastRev: head.rev,
    lastDoc: fresh.at(-1)?.doc ?? last?.lastDoc ?? 0,
    lastPart: 0,
    whole: changed.fresh !== undefined || fresh.length < rowsMax ? 1 : 0,
    entries: block.count,
    added: fresh.length + removed.reduce((sum, { added }) => sum + added, 0),
  };
  const data = sealSegment(encodeRows(block));
  return { epoch: head.epoch, space: 0, last, removed, added: { segment, data } };
}

function isStale(present: readonly SegmentRef[]): boolean {
  const added = present.reduce((sum, segment) => sum + segment.added, 0);
  const entries = present.reduce((sum, segment) => sum + segment.entries, 0);
  return entries - added > Math.max(staleMin, added * staleShareMax);
}

function extension({ epoch, rev }: IndexHead, last: SegmentRef): SegmentChange {
  return { epoch, space: 0, last, removed: [], extendedTo: rev };
}

async function changesAfterSegment(
  reader: IndexReader,
  { lastRev, lastDoc, whole }: SegmentRef,
  rowsMax: number,
): Promise<Changed> {
  const changed = new Map<number, IndexRow>();
  let freshCount = 0;
  let rev = lastRev;
  let doc = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const read = await reader.changesSince(rev, doc, rowsPerRead);
    for (const row of read) {
      if (row.doc > lastDoc && ++freshCount > rowsMax) continue;
      changed.set(row.doc, row);
    }
    const end = read.at(-1);
    if (end === undefined || read.length < rowsPerRead) break;
    ({ rev, doc } = end);
    await otherWork();
  }
  const rows = [...changed.values()].sort((a, b) => a.doc - b.doc);
  const areAll = whole === 1 && freshCount <= rowsMax;
  return {
    old: rows.filter((row) => row.doc <= lastDoc),
    fresh: areAll ? rows.filter((row) => row.doc > lastDoc) : undefined,
  };
}

async function rowsAfter(reader: IndexReader, after: number, rowsMax: number): Promise<IndexRow[]> {
  const rows: IndexRow[] = [];
  while (rows.length < rowsMax) {
    const limit = Math.min(rowsPerRead, rowsMax - rows.length);
    const read = await reader.rowsAfter(rows.at(-1)?.doc ?? after, limit);
    rows.push(...read);
    if (read.length < limit) break;
    await otherWork();
  }
  return rows;
}

/** Origin of each row of a join, in order of doc. */
interface Source {
  /** 1 for the newer block. */
  readonly fromNewer: Uint8Array;
  readonly rows: Int32Array;
  readonly count: number;
}

/** The rows of both; of a version in both, the row of the newer block. */
function joinBlocks(older: RowBlock, newer: RowBlock): RowBlock {
  const { count, rows, fromNewer } = sourceOf(older, newer);
  const columns = new Columns(count);
  const names = { conversations: new Interner(), speakers: new Interner(), topics: new Interner() };
  const sides = [older, newer].map((block) => ({
    block,
    conversations: block.conversations.map((id) => names.conversations.intern(id)),
    speakers: block.speakers.map((name) => names.speakers.intern(name)),
    topics: allLists(
      block.topics,
      block.count,
      block.topicNames.map((name) => names.topics.intern(name)),
    ),
    keys: allLists(block.metadataKeys, block.count),
  }));
  const sideOf = (at: number) => sides[fromNewer[at]];
  for (let at = 0; at < count; at++) {
    const { block, conversations, speakers } = sideOf(at);
    columns.copy(at, block.columns, rows[at]);
    columns.conversation[at] = conversations[columns.conversation[at]];
    if (columns.speaker[at] >= 0) columns.speaker[at] = speakers[columns.speaker[at]];
  }
  return {
    count,
    columns,
    conversations: names.conversations.values,
    speakers: names.speakers.values,
    topicNames: names.topics.values,
    topics: numberListsOf(count, (at) => sideOf(at).topics[rows[at]]),
    metadataKeys: numberListsOf(count, (at) => sideOf(at).keys[rows[at]]),
  };
}

function sourceOf(older: RowBlock, newer: RowBlock): Source {
  const most = older.count + newer.count;
  const fromNewer = new Uint8Array(most);
  const rows = new Int32Array(most);
  const docs = [older.columns.docs, newer.columns.docs];
  let count = 0;
  for (let a = 0, b = 0; a < older.count || b < newer.count; count++) {
    const isOlder = b === newer.count || (a < older.count && docs[0][a] < docs[1][b]);
    if (!isOlder && a < older.count && docs[0][a] === docs[1][b]) a++;
    fromNewer[count] = isOlder ? 0 : 1;
    rows[count] = isOlder ? a++ : b++;
  }
  return { fromNewer, rows, count };
}

function allLists(
  lists: RowBlock['topics'],
  count: number,
  values?: readonly number[],
): readonly (readonly number[])[] {
  const next = listsOf(lists, values && ((number) => values[number]));
  return Array.from({ length: count }, next);
}

/** All rows of an index as a segment block, with only the names that occur in a row. */
function toBlock(index: UserIndex): RowBlock {
  const { size } = index;
  const columns = new Columns(size);
  const conversations = new Interner();
  const speakers = new Interner();
  const topics = new Interner();
  for (let row = 0; row < size; row++) {
    columns.copy(row, index.columns, row);
    columns.conversation[row] = conversations.intern(
      index.conversations.value(index.columns.conversation[row]),
    );
    const speaker = index.columns.speaker[row];
    if (speaker >= 0) columns.speaker[row] = speakers.intern(index.speakers.value(speaker));
  }
  return {
    count: size,
    columns,
    topics: numberListsOf(size, (row) =>
      index.topicsOf(row).map((topic) => topics.intern(index.topicNames[topic])),
    ),
    metadataKeys: numberListsOf(size, (row) => index.metadata.numbersOf(row)),
    conversations: conversations.values,
    speakers: speakers.values,
    topicNames: topics.values,
  };
}
