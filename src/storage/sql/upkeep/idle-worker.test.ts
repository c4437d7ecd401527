import { describe, expect, it } from 'vitest';
import { FailureLog } from '../../../lib/failure-log.ts';
import { IdleWorker } from './idle-worker.ts';

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('The condition did not come true.');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('idle worker', () => {
  const failures = new FailureLog();
  it('works in steps after writes stop, and again only after further writes', async () => {
    let writes = 1;
    let steps = 0;
    let runs = 0;
    const work = {
      writes: () => writes,
      step: async () => {
        steps++;
        if (steps % 3 === 0) runs++;
        return steps % 3 !== 0;
      },
    };
    const worker = new IdleWorker(work, { task: 'segment_merge', failures, idleMs: 1, stepsMax: 10 });
    worker.start();
    await until(() => runs === 1);
    writes++;
    await until(() => runs === 2);
    await worker.stop();
    expect(steps).toBe(6);
  });

  it('stops working when a write comes, and takes failures', async () => {
    let writes = 0;
    let steps = 0;
    const work = {
      writes: () => writes,
      step: async () => {
        steps++;
        if (steps === 1) throw new Error('busy');
        if (steps === 2) writes++;
        return steps < 4;
      },
    };
    const worker = new IdleWorker(work, { task: 'segment_merge', failures, idleMs: 1, stepsMax: 10 });
    worker.start();
    await until(() => steps === 4);
    await worker.stop();
    expect(steps).toBe(4);
    expect(failures.counts).toMatchObject([{ task: 'segment_merge', failures: 1 }]);
  });
});
