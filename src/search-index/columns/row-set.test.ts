import { expect, it } from 'vitest';
import { randomFrom } from '../../../test/support/random.ts';
import { RowSet } from './row-set.ts';

it('a set of rows has what was added to it, and counts each row once', () => {
  const random = randomFrom(7);
  const rows = new RowSet();
  const expected = new Set<number>();
  for (let i = 0; i < 3000; i++) {
    const row = random.int(0, 19_999);
    rows.add(row);
    expected.add(row);
  }
  expect(rows.size).toBe(expected.size);
  for (let row = 0; row < 30_000; row++) expect(rows.has(row)).toBe(expected.has(row));
  rows.clear();
  expect(rows.size).toBe(0);
  expect([...expected].some((row) => rows.has(row))).toBe(false);
});
