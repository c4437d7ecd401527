import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { otherWork } from '../../lib/loop-time.ts';
import { FairTurns } from './fair-turns.ts';
import type { RunningRequest } from './user-account.ts';

describe('turns of the event loop shared between users', () => {
  let time = 0;
  let turns: FairTurns;
  let begun: string[];
  let running: RunningRequest[];
  beforeEach(() => {
    time = 0;
    begun = [];
    running = [];
    turns = new FairTurns(() => time);
  });

  // Waiting requests must not begin in the next test.
  afterEach(async () => {
    while (turns.waiting > 0) {
      for (const request of running) request.end();
      await turn();
    }
  });

  /** A request whose work takes `ms` as soon as it begins; it keeps running if `ends` is false. */
  function send(userId: number, name: string, ms: number, ends = true, isRead = true) {
    return turns.add(userId, {
      isRead,
      begin: (request) => {
        begun.push(name);
        time += ms;
        running.push(request);
        if (ends) request.end();
      },
    });
  }

  async function turn(count = 1) {
    for (let i = 0; i < count; i++) await nextTurn();
  }

  it('a turn begins requests until 8 ms are used, and the next turns begin the others in order', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(1, name, 4);
    expect(begun).toEqual(['a', 'b']);
    expect(turns.waiting).toBe(3);
    await turn();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await turn();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('a user with one request waits for one piece of work, not for all that another user sent before', async () => {
    for (let i = 0; i < 40; i++) send(1, `heavy ${i}`, 100);
    expect(begun).toEqual(['heavy 0']);
    send(2, 'light', 1);
    await turn(2);
    expect(begun.slice(0, 2)).toEqual(['heavy 0', 'light']);
  });

  it('users who compete are given equal time, whatever one request of theirs takes', async () => {
    for (let i = 0; i < 4; i++) send(1, 'heavy', 100);
    for (let i = 0; i < 400; i++) send(2, 'light', 1);
    while (begun.filter((name) => name === 'heavy').length < 3) await turn();
    const lights = begun.filter((name) => name === 'light').length;
    expect(lights).toBeGreaterThanOrEqual(100);
    expect(lights).toBeLessThanOrEqual(310);
  });

  it('a user who was idle has saved up no time', async () => {
    send(2, 'early', 1);
    await turn();
    for (let i = 0; i < 20; i++) send(1, 'one', 50);
    while (turns.waiting > 5) await turn();
    for (let i = 0; i < 20; i++) send(2, 'two', 50);
    begun = [];
    await turn(8);
    expect(begun.filter((name) => name === 'one').length).toBeGreaterThan(1);
  });

  it('while another user asks too, a user of dear requests has one running at a time', async () => {
    send(1, 'first', 30);
    await turn(2);
    send(2, 'other', 0);
    for (let i = 0; i < 3; i++) send(1, `dear ${i}`, 30, false);
    await turn(6);
    expect(begun).toEqual(['first', 'other', 'dear 0']);
    running.at(-1)?.end();
    await turn(2);
    expect(begun).toEqual(['first', 'other', 'dear 0', 'dear 1']);
  });

  it('while another user asks too, a user has four reads running before any of them has shown its cost', async () => {
    send(2, 'other', 0);
    for (let i = 0; i < 9; i++) send(1, `read ${i}`, 0, false);
    await turn(6);
    expect(begun).toEqual(['other', 'read 0', 'read 1', 'read 2', 'read 3']);
  });

  it('a user who waits for long competes all the while', async () => {
    send(2, 'waits', 0, false);
    for (let i = 0; i < 5; i++) send(1, `read ${i}`, 0, false);
    time += 10_000;
    send(1, 'read 5', 0, false);
    await turn(3);
    expect(begun).toEqual(['waits', 'read 0', 'read 1', 'read 2', 'read 3']);
  });

  it('a user alone has no more running than a newcomer can wait for', async () => {
    for (let i = 0; i < 20; i++) send(1, `page ${i}`, 0, false);
    await turn(3);
    expect(begun).toHaveLength(16);
    for (const request of [...running]) {
      request.charge(40);
      request.end();
    }
    begun = [];
    await turn(3);
    expect(begun).toHaveLength(2);
  });

  it('a user alone has as many requests running as it sends', async () => {
    for (let i = 0; i < 5; i++) send(1, `dear ${i}`, 30, false);
    await turn(12);
    expect(begun).toHaveLength(5);
  });

  it('a write of a user does not wait for all of the reads of that user', async () => {
    for (let i = 0; i < 50; i++) send(1, `read ${i}`, 9);
    send(1, 'write', 1, true, false);
    await turn();
    expect(begun).toEqual(['read 0', 'write', 'read 1']);
  });

  it('a read of a user waits for 16 writes of that user and no more', async () => {
    send(1, 'first', 9, true, false);
    for (let i = 0; i < 40; i++) send(1, 'write', 0, true, false);
    send(1, 'read', 0);
    await turn();
    expect(begun.indexOf('read')).toBe(17);
  });

  it('a request that is withdrawn never begins', async () => {
    send(1, 'a', 10);
    const withdraw = send(1, 'b', 10);
    send(1, 'c', 10);
    withdraw?.();
    await turn(4);
    expect(begun).toEqual(['a', 'c']);
    expect(turns.waiting).toBe(0);
  });

  it('the user whose requests take the loop is known, also for what a request does after it waited', async () => {
    send(2, 'light', 5);
    turns.add(1, {
      isRead: true,
      begin: async (request) => {
        await otherWork();
        time += 2000;
        request.end();
      },
    });
    await turn(3);
    expect([1, 2, 3].map((user) => turns.takesTheLoop(user))).toEqual([true, false, false]);
    send(3, 'as heavy', 1500);
    await turn();
    expect([1, 2, 3].map((user) => turns.takesTheLoop(user))).toEqual([true, false, true]);
    time += 20_000;
    expect([1, 2, 3].map((user) => turns.takesTheLoop(user))).toEqual([false, false, false]);
  });

  it('many users who take the loop together are all seen to take it, and requests of little work never are', async () => {
    for (let user = 0; user < 50; user++) send(user, 'one', 40);
    await turn(60);
    expect([0, 25, 49].map((user) => turns.takesTheLoop(user))).toEqual([true, true, true]);
    time += 20_000;
    for (let user = 0; user < 50; user++) send(user, 'one', 5);
    await turn(60);
    expect([0, 25, 49].map((user) => turns.takesTheLoop(user))).toEqual([false, false, false]);
  });
});
