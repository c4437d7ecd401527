import { Columns } from '../columns/columns.ts';
import { Interner } from '../columns/interner.ts';
import { numberListsOf } from '../columns/number-lists.ts';
import type { RowBlock } from '../columns/row-segment.ts';
import type { UserIndex } from '../rows/user-index.ts';

/** All rows of an index as a segment block, with only the names that occur in a row. */
export function toBlock(index: UserIndex): RowBlock {
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
