import type { SpacesToEmbed } from '../domain/embedding/embed-step.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { rest } from '../lib/throttle.ts';
import { JobWorker } from './job-worker.ts';

const progressEveryMs = 200;

export interface DoWaitingDeps {
  readonly steps: readonly Step[];
  readonly spaces: SpacesToEmbed;
  readonly work: WorkStore;
  readonly failures: FailureReporter;
}

/**
 * Does what waits for these steps and what their back-fills come to, together with a service that may be running.
 * @param onProgress is called with how many of how many versions have gone through all steps
 * @returns how many were given up after three tries
 */
export async function doWaiting(
  { steps, spaces, work, failures }: DoWaitingDeps,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const worker = new JobWorker({ periodic: [], steps: { steps, spaces, work }, failures });
  worker.start();
  try {
    for (;;) {
      const passes = await Promise.all(steps.map((step) => work.backfilled(step)));
      const own = (await work.status()).filter(({ step }) => steps.some(({ name }) => name === step));
      const total = Math.max(...passes.map((pass) => pass.total));
      const left = Math.max(...passes.map((pass) => pass.total - pass.done));
      const waiting = Math.max(0, ...own.map((step) => step.waiting));
      onProgress(Math.max(0, total - left - waiting), total);
      if (left === 0 && waiting === 0) return own.reduce((sum, { parked }) => sum + parked, 0);
      await rest(progressEveryMs);
    }
  } finally {
    await worker.stop();
  }
}
