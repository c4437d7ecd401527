import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnGate } from './turn-gate.ts';

describe('a turn gate', () => {
  it('lets a few begin in each turn, in order, and all in the end', async () => {
    const gate = new TurnGate(2);
    const begun: number[] = [];
    const all = Promise.all([0, 1, 2, 3, 4].map((i) => gate.run(async () => begun.push(i))));
    expect(begun).toEqual([0, 1]);
    await nextTurn();
    expect(begun).toEqual([0, 1, 2, 3]);
    await all;
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('lets whoever comes later wait behind those who wait', async () => {
    const gate = new TurnGate(1);
    const begun: string[] = [];
    const run = (name: string) => gate.run(async () => void begun.push(name));
    const first = [run('a'), run('b'), run('c')];
    await nextTurn();
    await Promise.all([...first, run('d')]);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('passes failures on and goes on', async () => {
    const gate = new TurnGate(1);
    const failing = gate.run(() => Promise.reject(new Error('broken')));
    const after = gate.run(async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await after).toBe('done');
  });
});
