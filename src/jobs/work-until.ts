import { rest } from '../lib/throttle.ts';
import type { JobWorker } from './job-worker.ts';

const lookEveryMs = 200;

/** Runs `worker` until `isDone`, which is asked now and then, says so or throws; then stops it. */
export async function workUntil(worker: JobWorker, isDone: () => Promise<boolean>): Promise<void> {
  worker.start();
  try {
    while (!(await isDone())) await rest(lookEveryMs);
  } finally {
    await worker.stop();
  }
}
