import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InGroups } from './in-groups.ts';

describe('InGroups', () => {
  it('tasks of one group run in their order, and groups run at the same time up to the limit', async () => {
    const groups = new InGroups({ running: 3, pending: 50 });
    const done: Record<string, number[]> = { a: [], b: [], c: [], d: [] };
    let running = 0;
    let runningMost = 0;
    for (let number = 0; number < 40; number++) {
      const group = 'abcd'.charAt(number % 4);
      await groups.add(group, async () => {
        runningMost = Math.max(runningMost, ++running);
        for (let turn = number % 5; turn >= 0; turn--) await nextTurn();
        running--;
        done[group]?.push(number);
      });
    }
    await groups.finish();
    for (const numbers of Object.values(done)) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(Object.values(done).flat()).toHaveLength(40);
    expect(runningMost).toBe(3);
  });

  it('a runner of tasks in groups keeps no more tasks than its limit', async () => {
    const groups = new InGroups({ running: 2, pending: 4 });
    let added = 0;
    let ended = 0;
    let pendingMost = 0;
    for (let number = 0; number < 30; number++) {
      await groups.add('one', async () => {
        await nextTurn();
        ended++;
      });
      pendingMost = Math.max(pendingMost, ++added - ended);
    }
    await groups.finish();
    expect(ended).toBe(30);
    expect(pendingMost).toBeLessThanOrEqual(4);
  });

  it('a runner of tasks in groups begins nothing after a failure, finishes what runs and throws it', async () => {
    const groups = new InGroups({ running: 2, pending: 10 });
    const ended: string[] = [];
    await groups.add('slow', async () => {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      ended.push('slow');
    });
    await groups.add('bad', async () => {
      throw new Error('gone');
    });
    await groups.add('slow', async () => void ended.push('never'));
    await expect(groups.finish()).rejects.toThrow('gone');
    expect(ended).toEqual(['slow']);
    await expect(groups.add('bad', async () => undefined)).rejects.toThrow('gone');
  });
});
