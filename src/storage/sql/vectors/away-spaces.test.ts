import { expect, it } from 'vitest';
import { AwaySpaces } from './away-spaces.ts';

it('a space whose model is away is left alone, longer each time, until it answers; others are not', () => {
  let now = 0;
  const away = new AwaySpaces(() => now);
  const tries: number[] = [];
  for (let i = 0; i < 8; i++) {
    away.failed(1);
    tries.push(away.nextTry(60_000));
    expect([away.has(1), away.isLeftAlone(1), away.isLeftAlone(2)]).toEqual([true, true, false]);
    now += tries[i];
    expect([away.has(1), away.isLeftAlone(1)]).toEqual([true, false]);
  }
  expect(tries).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  away.failed(2);
  expect(away.nextTry(60_000)).toBe(1);
  away.settled(1);
  expect([away.has(1), away.has(2), away.nextTry(60_000), away.nextTry(100)]).toEqual([
    false,
    true,
    500,
    100,
  ]);
  now += 1000;
  away.retain(new Set([2]));
  expect([away.has(2), away.nextTry(60_000)]).toEqual([true, 1]);
  away.retain(new Set([3]));
  expect([away.has(2), away.nextTry(60_000)]).toEqual([false, 60_000]);
});
