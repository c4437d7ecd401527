import { describe, expect, it } from 'vitest';
import { SlowResults } from './slow-results.ts';

function resultsThatTake(ms: number) {
  let now = 0;
  let made = 0;
  const results = new SlowResults<string, number>(2, () => now);
  const ask = (key = 'a') =>
    results.of(key, async () => {
      now += ms;
      return ++made;
    });
  const pass = (by: number) => {
    now += by;
  };
  return { ask, pass };
}

describe('slow results', () => {
  it('a result that is made fast is made for everybody who asks', async () => {
    const { ask } = resultsThatTake(19);
    expect([await ask(), await ask()]).toEqual([1, 2]);
  });

  it('a result that took long serves for twenty times as long, and a minute at most', async () => {
    const short = resultsThatTake(100);
    expect(await short.ask()).toBe(1);
    short.pass(1999);
    expect(await short.ask()).toBe(1);
    short.pass(1);
    expect(await short.ask()).toBe(2);

    const long = resultsThatTake(10_000);
    expect(await long.ask()).toBe(1);
    long.pass(60_000);
    expect(await long.ask()).toBe(2);
  });

  it('a result serves its key alone', async () => {
    const { ask } = resultsThatTake(100);
    expect([await ask('a'), await ask('b'), await ask('a')]).toEqual([1, 2, 1]);
  });

  it('a result that is being made is shared by those who ask at once', async () => {
    const { ask } = resultsThatTake(1);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  });

  it('a result that could not be made is tried again', async () => {
    const results = new SlowResults<string, number>(2);
    await expect(results.of('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await results.of('a', async () => 1)).toBe(1);
  });
});
