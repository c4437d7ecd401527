import { describe, expect, it } from 'vitest';
import { RowMakers } from './dialect.ts';

describe('RowMakers', () => {
  it('makes a row with the columns in their order', () => {
    const row = new RowMakers().of(['id', 'content', 'count(*)'])(['a', null, 3]);
    expect(Object.entries(row)).toEqual([
      ['id', 'a'],
      ['content', null],
      ['count(*)', 3],
    ]);
  });

  it('takes the last value of a column that is named twice', () => {
    expect(new RowMakers().of(['doc', 'id', 'doc'])([1, 'a', 2])).toEqual({ doc: 2, id: 'a' });
  });

  it('reads names as names, not as code', () => {
    const names = ['"]: 1, ["x', '__proto__', "it's", 'a\nb'];
    const row = new RowMakers().of(names)([1, 2, 3, 4]);
    expect(Object.entries(row)).toEqual(names.map((name, i) => [name, i + 1]));
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  it('makes one function for the same columns, and another for others', () => {
    const makers = new RowMakers();
    expect(makers.of(['a', 'b'])).toBe(makers.of(['a', 'b']));
    expect(makers.of(['a,b'])).not.toBe(makers.of(['a', 'b']));
  });
});
