import { describe, expect, it } from 'vitest';
import { LoopLoad, type LoopTimes } from './throttle.ts';

/** A loop whose times the test adds to. */
function newLoop() {
  let times: LoopTimes = { active: 0, idle: 0 };
  const load = new LoopLoad(() => times);
  const pass = (active: number, idle: number) => {
    times = { active: times.active + active, idle: times.idle + idle };
  };
  return { load, pass };
}

describe('the load of an event loop', () => {
  it('background work alone is no load, however short its rests are', () => {
    const { load, pass } = newLoop();
    for (let i = 0; i < 50; i++) {
      pass(30, 1);
      expect(load.isBusyApartFrom(30)).toBe(false);
    }
    pass(30, 30);
    expect(load.isBusyApartFrom(30)).toBe(false);
  });

  it('requests that take all that background work leaves are a load, until they take less', () => {
    const { load, pass } = newLoop();
    pass(95, 5);
    expect(load.isBusyApartFrom(30)).toBe(true);
    pass(60, 40);
    expect(load.isBusyApartFrom(30)).toBe(false);
  });

  it('short times without background work are judged together', () => {
    const { load, pass } = newLoop();
    pass(15, 0);
    expect(load.isBusyApartFrom(5)).toBe(false);
    pass(15, 0);
    expect(load.isBusyApartFrom(5)).toBe(true);
    pass(6, 4);
    expect(load.isBusyApartFrom(5)).toBe(true);
  });

  it('background work on a thread of its own takes nothing from the loop that requests use', () => {
    const { load, pass } = newLoop();
    pass(100, 0);
    expect(load.isBusyApartFrom(50)).toBe(true);
    pass(0, 100);
    expect(load.isBusyApartFrom(50)).toBe(false);
  });
});
