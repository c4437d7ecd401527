import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Columns } from '../columns/columns.ts';
import { ConversationRows, noRow } from './conversation-rows.ts';

const anyRow = fc.record({
  conversation: fc.nat(9),
  eventTime: fc.oneof(fc.constant(Number.NaN), fc.nat(50)),
  live: fc.constantFrom(0, 1),
});
/** Rows added together, rows changed afterwards, and whether they are read then. */
const anyChange = fc.record({
  added: fc.array(anyRow, { maxLength: 90 }),
  touched: fc.array(fc.nat(), { maxLength: 5 }),
  isRead: fc.boolean(),
});

/** The expected lists and links, computed from scratch. */
function expected(columns: Columns, count: number) {
  const { seqs, docs, live } = columns;
  const order = (a: number, b: number) =>
    columns.orderTime(a) - columns.orderTime(b) || seqs[a] - seqs[b] || docs[a] - docs[b];
  const previous = new Array<number>(count).fill(noRow);
  const next = new Array<number>(count).fill(noRow);
  const lists = Array.from({ length: 11 }, (_, conversation) => {
    const all = Array.from({ length: count }, (_, row) => row);
    return all.filter((row) => columns.conversation[row] === conversation).sort(order);
  });
  for (const rows of lists) {
    const shown = rows.filter((row) => live[row] === 1);
    for (const [i, row] of shown.entries()) {
      previous[row] = shown[i - 1] ?? noRow;
      next[row] = shown[i + 1] ?? noRow;
    }
  }
  return { lists, previous, next };
}

it('after any additions and changes rows of conversations and their links are those that sorting all rows gives', () => {
  fc.assert(
    fc.property(fc.array(anyChange, { minLength: 1, maxLength: 8 }), (changes) => {
      const columns = new Columns(1);
      const rows = new ConversationRows(columns);
      let count = 0;
      for (const [i, { added, touched, isRead }] of changes.entries()) {
        columns.reserve(count + added.length);
        for (const { conversation, eventTime, live } of added) {
          const row = count++;
          columns.docs[row] = row;
          columns.seqs[row] = row >> 1;
          columns.createdAt[row] = 25 + (row % 7);
          columns.conversation[row] = conversation;
          columns.eventTime[row] = eventTime;
          columns.live[row] = live;
          rows.add(row);
        }
        for (const number of count > 0 ? touched : []) {
          const row = number % count;
          columns.live[row] = 1 - columns.live[row];
          rows.touch(row);
        }
        if (!isRead && i < changes.length - 1) continue;
        const { lists, previous, next } = expected(columns, count);
        expect(Array.from(rows.previous.subarray(0, count))).toEqual(previous);
        expect(Array.from(rows.next.subarray(0, count))).toEqual(next);
        expect(lists.map((_, conversation) => Array.from(rows.of(conversation)))).toEqual(lists);
      }
    }),
    { seed: 17, numRuns: 300 },
  );
});

it('a conversation that is not in the index has no rows', () => {
  const rows = new ConversationRows(new Columns());
  expect(rows.of(-1)).toHaveLength(0);
  expect(rows.of(3)).toHaveLength(0);
});
