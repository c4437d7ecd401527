import { Columns } from '../columns/columns.ts';
import { Interner } from '../columns/interner.ts';
import { listsOf, numberListsOf } from '../columns/number-lists.ts';
import type { RowBlock } from '../columns/row-segment.ts';

/** Origin of each row of a join, in order of doc. */
interface Source {
  /** 1 for the newer block. */
  readonly fromNewer: Uint8Array;
  readonly rows: Int32Array;
  readonly count: number;
}

/** The rows of both; of a version in both, the row of the newer block. */
export function joinBlocks(older: RowBlock, newer: RowBlock): RowBlock {
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
