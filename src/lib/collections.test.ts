import { describe, expect, it } from 'vitest';
import { LinkedList, sortInTurns } from './collections.ts';

describe('a linked list', () => {
  it('a list has its values in the order of adding, whichever of them were removed', () => {
    const list = new LinkedList<string>();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((value) => list.add(value));
    list.remove(b);
    expect([...list]).toEqual(['a', 'c', 'd']);
    list.remove(d);
    list.remove(a);
    expect([list.first?.value, list.size]).toEqual(['c', 1]);
    list.add('e');
    list.remove(c);
    expect([...list]).toEqual(['e']);
  });

  it('a value removed twice leaves the others where they are', () => {
    const list = new LinkedList<string>();
    const a = list.add('a');
    list.remove(a);
    list.add('b');
    list.remove(a);
    expect([[...list], list.size]).toEqual([['b'], 1]);
  });
});

it.each([0, 1, 1999, 2000, 2001, 9001])('%i items are sorted, equal ones in their order', async (length) => {
  const items = Array.from({ length }, (_, place) => ({ key: (place * 7919) % 101, place }));
  const sorted = await sortInTurns(items, (a, b) => a.key - b.key);
  expect(sorted).toEqual(items.toSorted((a, b) => a.key - b.key || a.place - b.place));
});
