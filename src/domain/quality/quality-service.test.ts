import { describe, expect, it } from 'vitest';
import { effectiveStates } from '../memories/memory.ts';
import type { Stores } from '../shared/stores.ts';
import type { QualityTraits } from './quality.ts';
import { QualityService } from './quality-service.ts';

const user = { id: 1, publicId: 'u', name: 'u' };

/** A store of so many memories, which counts how often it was read. */
function storeOf(size: () => number) {
  const read = { times: 0 };
  const traits: QualityTraits = {
    id: 'a',
    content: 'The tide is at six.',
    createdAt: 0,
    effectiveState: effectiveStates[0],
    importance: null,
    edges: 0,
    derived: 0,
    selected: 0,
    notSelected: 0,
    isNamed: false,
  };
  const quality = {
    narrativeEnds: async () => new Set<string>(),
    traitsAfter: async () => {
      read.times++;
      return { traits: Array<QualityTraits>(size()).fill(traits), lastSeq: undefined };
    },
  };
  return { read, stores: { forUser: () => ({ quality }) } as unknown as Stores };
}

function serviceOf(size: () => number) {
  const { read, stores } = storeOf(size);
  const clock = { time: 1_000_000, now: () => clock.time };
  const memories = { bulkDelete: async () => ({ done: 0, errors: [] }) };
  return { read, clock, service: new QualityService({ stores, clock, memories }) };
}

describe('a report on quality', () => {
  it('a report on many memories is that of the last ten minutes, unless a new one is asked for', async () => {
    const { read, clock, service } = serviceOf(() => 5000);
    const first = await service.report(user, 0.4);
    clock.time += 9 * 60_000;
    expect(await service.report(user, 0.4)).toBe(first);
    expect(read.times).toBe(1);
    expect((await service.report(user, 0.4, { isFresh: true })).at).toBe(clock.time);
    expect((await service.report({ ...user, id: 2 }, 0.4)).at).toBe(clock.time);
    expect((await service.report(user, 0.5)).at).toBe(clock.time);
    expect(read.times).toBe(4);
    clock.time += 10 * 60_000;
    expect((await service.report(user, 0.4)).at).toBe(clock.time);
  });

  it('a report on few memories is made for each call', async () => {
    const { read, service } = serviceOf(() => 4999);
    await service.report(user, 0.4);
    await service.report(user, 0.4);
    expect(read.times).toBe(2);
  });
});
