import { expect, it } from 'vitest';
import { writersOf } from './stores.ts';

it('a transaction has one writer of each kind, which keeps rows until they are written together', () => {
  const tx = writersOf({} as never, {} as never);
  expect(tx.memories).toBe(tx.memories);
  expect(tx.conversations).toBe(tx.conversations);
});
