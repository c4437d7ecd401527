import { describe, expect, it, vi } from 'vitest';
import { charge, endCharge } from './loop-time.ts';
import { ActiveRequests, LoopLoad, type LoopTimes, Pace, RequestShare } from './throttle.ts';

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

  it('work rests if there were requests since the work before, and not otherwise', async () => {
    let ms = 0;
    const requests = new ActiveRequests(() => ms);
    const pace = new Pace({ requests });
    const comesAtOnce = async () => {
      ms += 100;
      pace.worked(50);
      const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
      const isAtOnce = await Promise.race([pace.turn(signal).then(() => true), later]);
      await pace.turn(signal);
      return isAtOnce;
    };
    expect(await comesAtOnce()).toBe(true);
    requests.begin();
    expect(await comesAtOnce()).toBe(false);
    requests.end();
    expect(await comesAtOnce()).toBe(true);
  });
});

describe('the requests of a process', () => {
  it('times with requests count once, however many there are, and while they last', () => {
    let ms = 0;
    const requests = new ActiveRequests(() => ms);
    const pass = (more: number) => {
      ms += more;
    };
    pass(10);
    requests.begin();
    pass(5);
    requests.begin();
    pass(5);
    requests.end();
    pass(5);
    expect(requests.times).toEqual({ active: 15, idle: 10 });
    requests.end();
    pass(20);
    expect(requests.times).toEqual({ active: 15, idle: 30 });
  });

  it('their share is that of the time since it was asked for', () => {
    let ms = 0;
    const requests = new ActiveRequests(() => ms);
    const share = new RequestShare(requests);
    expect(share.next()).toBe(0);
    requests.begin();
    ms += 100;
    expect(share.next()).toBe(1);
    requests.end();
    ms += 300;
    requests.begin();
    ms += 100;
    expect(share.next()).toBe(0.25);
  });
});

/** A loop whose times of requests, and without work, the test adds to. */
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
    for (let i = 0; i < 600; i++) {
      pass(0, 1);
      expect(load.excess()).toBe(0);
    }
    pass(0, 600);
    expect(load.excess()).toBe(0);
  });

  it('requests that take all that background work leaves are a load, in part if they take more than most of it', () => {
    const { load, pass } = newLoop();
    pass(500, 0);
    expect(load.excess()).toBe(1);
    pass(450, 50);
    expect(load.excess()).toBeCloseTo(0.5);
    pass(400, 100);
    expect(load.excess()).toBe(0);
  });

  it('short times without background work are judged together', () => {
    const { load, pass } = newLoop();
    pass(300, 0);
    expect(load.excess()).toBe(0);
    pass(300, 0);
    expect(load.excess()).toBe(1);
    pass(0, 400);
    expect(load.excess()).toBe(1);
  });

  it('background work on a thread of its own takes nothing from the loop that requests use', () => {
    const { load, pass } = newLoop();
    pass(1000, 0);
    expect(load.excess()).toBe(1);
    pass(0, 1000);
    expect(load.excess()).toBe(0);
  });

  it('work in the event loop is a load if a user is charged for it, and none otherwise', () => {
    const loop = vi.spyOn(performance, 'eventLoopUtilization');
    const workFor = (active: number, idle: number) =>
      loop.mockReturnValue({ active, idle, utilization: active / (active + idle) });
    try {
      workFor(0, 0);
      const load = new LoopLoad();
      workFor(20_000, 600);
      expect(load.excess()).toBe(0);
      let ms = 0;
      charge({ now: () => ms, pay: () => undefined });
      ms += 600;
      endCharge();
      expect(load.excess()).toBe(1);
    } finally {
      loop.mockRestore();
    }
  });
});
