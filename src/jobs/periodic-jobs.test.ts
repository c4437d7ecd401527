import { describe, expect, it } from 'vitest';
import { poll } from '../../test/support/poll.ts';
import { FailureLog } from '../lib/failure-log.ts';
import { JobWorker } from './job-worker.ts';
import { whenIdle } from './periodic-jobs.ts';

describe('a job for idle times', () => {
  const options = { name: 'segment_merge', idleMs: 1, stepsMax: 10 } as const;

  it('a job for idle times works in steps after writes stop, and again only after further writes', async () => {
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
    const worker = new JobWorker({ periodic: [whenIdle(work, options)], failures: new FailureLog() });
    worker.start();
    await poll('the first run', async () => runs === 1 || undefined);
    writes++;
    await poll('the second run', async () => runs === 2 || undefined);
    await worker.stop();
    expect(steps).toBe(6);
  });

  it('a job for idle times stops working when a write comes, and tries again after a failure', async () => {
    const failures = new FailureLog();
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
    const worker = new JobWorker({ periodic: [whenIdle(work, options)], failures });
    worker.start();
    await poll('the fourth step', async () => steps === 4 || undefined);
    await worker.stop();
    expect(steps).toBe(4);
    expect(failures.counts).toMatchObject([{ task: 'segment_merge', failures: 1 }]);
  });
});

it('a job of the whole store runs when it is the turn of this process, and at once', async () => {
  let lead = () => {};
  const leading = new Promise<void>((resolve) => {
    lead = resolve;
  });
  let runs = 0;
  const job = {
    name: 'trash_expiry',
    everyMs: 3_600_000,
    turn: () => leading,
    run: async () => runs++,
  } as const;
  const worker = new JobWorker({ periodic: [job], failures: new FailureLog() });
  worker.start();
  await Promise.resolve();
  expect(runs).toBe(0);
  lead();
  await poll('the first run', async () => runs === 1 || undefined);
  await worker.stop();
});
