import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Breather, charge, chargedSum, endCharge, otherWork } from './loop-time.ts';

describe('turns of the event loop', () => {
  it('of chains that let others pass one goes on in each turn of the event loop, in order', async () => {
    const went: string[] = [];
    const chains = ['a', 'b', 'c'].map(async (name) => {
      await otherWork();
      went.push(name);
      await otherWork();
      went.push(name);
    });
    const seen: number[] = [];
    while (went.length < 6) {
      await nextTurn();
      seen.push(went.length);
    }
    await Promise.all(chains);
    expect(seen.map((count, i) => count - (seen[i - 1] ?? 0)).filter((count) => count > 1)).toEqual([]);
    expect(went).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('a loop pauses for what others did in the same turn of the event loop, too', async () => {
    await nextTurn();
    const [first, second] = [new Breather(0), new Breather(10_000)];
    while (first.pause() === undefined);
    expect(second.pause()).toBeUndefined();
    expect(new Breather(0).pause()).toBeInstanceOf(Promise);
  });
});

it('the sum of charges counts the work that payers are charged for, and no other', () => {
  const before = chargedSum();
  let ms = 0;
  charge({ now: () => ms, pay: () => undefined });
  ms += 30;
  endCharge();
  ms += 1000;
  expect(chargedSum() - before).toBe(30);
});
