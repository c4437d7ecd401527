import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NumberListColumn, numberListsOf } from './number-list-column.ts';

const anyList = fc.array(fc.nat(9), { maxLength: 4 });
const anyAct = fc.oneof(
  fc.record({ lists: fc.array(anyList, { maxLength: 100 }), isRenamed: fc.boolean() }),
  fc.record({ row: fc.nat(), list: anyList }),
);

it('a column gives the list each row was given last, one by one or many together', () => {
  const standsFor = Array.from({ length: 10 }, (_, number) => 10 * number);
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 20 }), (acts) => {
      const column = new NumberListColumn(new Int32Array());
      const given: (readonly number[])[] = [];
      for (const act of acts) {
        if ('lists' in act) {
          const { lists, isRenamed } = act;
          const block = numberListsOf(lists.length, (row) => lists[row]);
          column.append(given.length, block, isRenamed ? standsFor : undefined);
          given.push(...lists.map((list) => list.map((number) => (isRenamed ? standsFor[number] : number))));
        } else {
          const row = act.row % (given.length + 1);
          column.set(row, act.list);
          given[row] = act.list;
        }
      }
      expect(given.map((_, row) => column.listOf(row))).toEqual(given);
      for (const [row, list] of given.entries()) {
        expect(column.countOf(row)).toBe(list.length);
        expect(column.hasAny(row, new Set([3, 30]))).toBe(list.includes(3) || list.includes(30));
      }
    }),
    { seed: 17, numRuns: 300 },
  );
});
