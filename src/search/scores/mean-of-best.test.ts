import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import { meanOfBest } from './conversation-scores.ts';

it('a conversation is as similar as the mean of its three best memories, of which one it lacks counts as 0', () => {
  const memories = fc.array(
    fc.record({ conversation: fc.nat(4), near: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(memories, fc.nat(3), (memories, left) => {
      const conversation = Int32Array.from(memories, (memory) => memory.conversation);
      const index = { columns: { conversation }, conversations: { size: 5 } } as UserIndex;
      const near = Float64Array.from(memories, (memory) => memory.near);
      const rows = memories.map((_, row) => row).filter((row) => row % 4 !== left);
      const best = (number: number) =>
        rows
          .filter((row) => conversation[row] === number)
          .map((row) => near[row])
          .sort((a, b) => b - a);
      const means = [0, 1, 2, 3, 4].map((number) => {
        const [first = 0, second = 0, third = 0] = best(number);
        return (first + second + third) / 3;
      });
      expect([...meanOfBest(index, near, rows)]).toEqual(means);
    }),
  );
});
