import { describe, expect, it } from 'vitest';
import { IdleGarbage } from './overload.ts';

const megabyte = 1024 * 1024;

/** A service whose event loop works a share of each half second. */
function newService() {
  const at = { now: 0, active: 0, idle: 0, heapMb: 80 };
  const garbage = new IdleGarbage(() => ({
    now: at.now,
    loop: { active: at.active, idle: at.idle },
    heapBytes: at.heapMb * megabyte,
  }));
  /** @returns the seconds at which garbage was collected */
  const run = (seconds: number, { share = 0, leavesMb }: { share?: number; leavesMb?: number } = {}) => {
    const collectedAt: number[] = [];
    for (let i = 0; i < seconds * 2; i++) {
      at.now += 500;
      at.active += 500 * share;
      at.idle += 500 * (1 - share);
      if (!garbage.isDue()) continue;
      at.heapMb = leavesMb ?? at.heapMb;
      garbage.collected();
      collectedAt.push(at.now / 1000);
    }
    return collectedAt;
  };
  return { at, run };
}

describe('garbage of an idle service', () => {
  it('is collected twice after the work, and again only after the heap has grown', () => {
    const { at, run } = newService();
    expect(run(10, { share: 0.5 })).toEqual([]);
    expect(run(60, { leavesMb: 50 })).toEqual([16, 22]);
    at.heapMb = 60;
    expect(run(60, { leavesMb: 50 })).toEqual([]);
    at.heapMb = 70;
    expect(run(60, { leavesMb: 50 })).toHaveLength(2);
  });

  it('is collected no further time if a collection frees nothing', () => {
    expect(newService().run(100)).toHaveLength(2);
  });

  it('is not collected while there is work now and then', () => {
    const { run } = newService();
    for (let i = 0; i < 20; i++) expect([...run(5), ...run(0.5, { share: 0.2 })]).toEqual([]);
  });

  it('is left if the heap is so large that a collection would hold up requests', () => {
    const { at, run } = newService();
    at.heapMb = 600;
    expect(run(60)).toEqual([]);
  });
});
