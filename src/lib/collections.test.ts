import { describe, expect, it } from 'vitest';
import { LinkedList } from './collections.ts';

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
