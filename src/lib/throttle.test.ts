import { describe, expect, it } from 'vitest';
import { ActiveRequests, LoopLoad, type LoopTimes, Pace } from './throttle.ts';

const { signal } = new AbortController();

function newRequests(count: number): ActiveRequests {
  const requests = new ActiveRequests();
  for (let i = 0; i < count; i++) requests.begin();
  return requests;
}

describe('the pace of background work', () => {
  it('a turn of background work comes once requests are few', async () => {
    const requests = newRequests(8);
    let isTurn = false;
    const turn = new Pace({ requests, givesWay: true }).turn(signal).then(() => {
      isTurn = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const wasTurn = isTurn;
    requests.end();
    await turn;
    expect(wasTurn).toBe(false);
    expect(requests.areMany).toBe(false);
  });

  it('a turn of background work comes although requests stay many', async () => {
    const requests = newRequests(8);
    await new Pace({ requests, givesWay: true }).turn(signal);
    expect(requests.areMany).toBe(true);
  });

  it('a turn of background work comes at once while requests are few, and at the end of the process', async () => {
    await new Pace({ requests: newRequests(7), givesWay: true }).turn(signal);
    const requests = newRequests(8);
    await new Pace({ requests, givesWay: true }).turn(AbortSignal.abort());
    expect(requests.areMany).toBe(true);
  });

  it('requests that one commit answered all at once were many a moment ago', () => {
    const requests = newRequests(8);
    for (let i = 0; i < 8; i++) requests.end();
    expect(requests.areMany).toBe(true);
    expect(newRequests(7).areMany).toBe(false);
  });

  it('work rests while requests come, and not after a second without any', async () => {
    let ms = 0;
    const requests = new ActiveRequests(() => ms);
    const comesAtOnce = async () => {
      const pace = new Pace({ requests });
      pace.worked(50);
      const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
      return Promise.race([pace.turn(signal).then(() => true), later]);
    };
    expect(await comesAtOnce()).toBe(true);
    requests.begin();
    expect(await comesAtOnce()).toBe(false);
    requests.end();
    ms += 999;
    expect(await comesAtOnce()).toBe(false);
    ms += 1;
    expect(await comesAtOnce()).toBe(true);
  });
});

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
