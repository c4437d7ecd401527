import { expect, it } from 'vitest';
import { sortInTurns } from './sort-in-turns.ts';

it.each([0, 1, 1999, 2000, 2001, 9001])('%i items are sorted, equal ones in their order', async (length) => {
  const items = Array.from({ length }, (_, place) => ({ key: (place * 7919) % 101, place }));
  const sorted = await sortInTurns(items, (a, b) => a.key - b.key);
  expect(sorted).toEqual(items.toSorted((a, b) => a.key - b.key || a.place - b.place));
});
