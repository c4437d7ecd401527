import { describe, expect, it } from 'vitest';
import { ItemRanges } from './import-state.ts';
import { addDigests, digestOf } from './sources.ts';

const digests = (numbers: readonly number[]) =>
  numbers.map((number) => digestOf(number, `text ${number}`)).reduce(addDigests, 0);

describe('ItemRanges', () => {
  it('ranges of items join their neighbours, in whatever order they come', () => {
    const orders = [
      [1, 2, 3, 5, 6, 9],
      [9, 6, 5, 3, 2, 1],
      [3, 9, 1, 6, 2, 5],
    ];
    for (const order of orders) {
      const ranges = new ItemRanges();
      for (const number of order) ranges.add(number, digestOf(number, `text ${number}`));
      expect(ranges.toArray()).toEqual([
        [1, 3, digests([1, 2, 3])],
        [5, 6, digests([5, 6])],
        [9, 9, digests([9])],
      ]);
    }
  });

  it('ranges of items contain what was added and nothing else, and survive being written down', () => {
    const ranges = new ItemRanges();
    for (const number of [2, 3, 7]) ranges.add(number, digestOf(number, 'x'));
    const read = new ItemRanges(JSON.parse(JSON.stringify(ranges.toArray())));
    expect([1, 2, 3, 4, 6, 7, 8].filter((number) => read.has(number))).toEqual([2, 3, 7]);
  });

  it('ranges of items keep digests that depend on the order of texts', () => {
    expect(addDigests(digestOf(1, 'a'), digestOf(2, 'b'))).not.toBe(
      addDigests(digestOf(1, 'b'), digestOf(2, 'a')),
    );
  });
});
