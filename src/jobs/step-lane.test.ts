import { expect, it } from 'vitest';
import { Backoff } from './step-lane.ts';

it('a server that does not answer is left alone, twice as long each time up to 30 s, until it answers', () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  expect(backoff.isLeftAlone).toBe(false);
  const waits = Array.from({ length: 8 }, () => {
    backoff.failed();
    const from = now;
    while (backoff.isLeftAlone) now += 500;
    return now - from;
  });
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  backoff.failed();
  expect(backoff.left(1000)).toBe(1000);
  now += 29_999.5;
  expect(backoff.left(1000)).toBe(1);
  backoff.reset();
  expect(backoff.isLeftAlone).toBe(false);
  backoff.failed();
  expect(backoff.left(1000)).toBe(500);
});
