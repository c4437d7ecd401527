import { expect, it } from 'vitest';
import type { IndexReader } from '../ports.ts';
import { heldAmong } from './held-terms.ts';
import { UserIndex } from './user-index.ts';

it('terms asked about are looked up once, until the index changes', async () => {
  const index = new UserIndex({ epoch: 1, space: 1 });
  const held = new Set(['tea']);
  const asked: string[] = [];
  const among = async (terms: readonly string[]) => {
    asked.push(...terms);
    return terms.filter((term) => held.has(term));
  };
  const reader = { vocabulary: { among } } as unknown as IndexReader;
  expect([...(await heldAmong(reader, index, ['tea', 'milk']))]).toEqual(['tea']);
  held.add('milk');
  expect([...(await heldAmong(reader, index, ['milk', 'tea', 'sugar']))]).toEqual(['tea']);
  expect(asked).toEqual(['tea', 'milk', 'sugar']);
  index.apply([], 1);
  expect([...(await heldAmong(reader, index, ['milk']))]).toEqual(['milk']);
});
