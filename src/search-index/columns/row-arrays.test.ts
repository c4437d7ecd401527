import { expect, it } from 'vitest';
import { RowArrays } from './row-arrays.ts';

const length = 10_000;

it('an array of numbers that another search filled is all 0 for the next', () => {
  const first = new RowArrays();
  const before = first.numbers(length).fill(7);
  first.marks(length).fill(1);
  first.release();
  const second = new RowArrays();
  const after = second.numbers(length);
  expect(after.buffer).toBe(before.buffer);
  expect(after.every((number) => number === 0)).toBe(true);
  expect(second.marks(length).every((mark) => mark === 0)).toBe(true);
});

it('searches at the same time never share an array', () => {
  const first = new RowArrays();
  const second = new RowArrays();
  const arrays = [first.numbers(length), first.rows(length), second.numbers(length), second.marks(length)];
  expect(new Set(arrays.map(({ buffer }) => buffer)).size).toBe(arrays.length);
});

it('arrays that were not released are never given to another search', () => {
  const unreleased = new RowArrays().numbers(length);
  const next = new RowArrays();
  for (let i = 0; i < 5; i++) expect(next.numbers(length).buffer).not.toBe(unreleased.buffer);
});

it('a search after some rows were added uses the arrays of the one before', () => {
  const first = new RowArrays();
  const { buffer } = first.numbers(length);
  first.release();
  const next = new RowArrays();
  expect([next.numbers(length + 10).buffer, next.numbers(length + 10).buffer]).toContain(buffer);
});

it('what is kept for later searches is bounded', () => {
  const large = 4_000_000;
  const first = new RowArrays();
  const buffers = new Set(Array.from({ length: 3 }, () => first.numbers(large).buffer));
  first.release();
  const next = new RowArrays();
  const again = Array.from({ length: 3 }, () => next.numbers(large).buffer);
  expect(again.filter((buffer) => buffers.has(buffer)).length).toBeLessThan(3);
});
