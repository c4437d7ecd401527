import type { SpacesToEmbed } from '../domain/embedding/embed-step.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { JobWorker } from './job-worker.ts';
import { workUntil } from './work-until.ts';

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
  let parked = 0;
  await workUntil(worker, async () => {
    const passes = await Promise.all(steps.map((step) => work.backfilled(step)));
    const own = await Promise.all(steps.map((step) => work.left(step)));
    const total = Math.max(...passes.map((pass) => pass.total));
    const left = Math.max(...passes.map((pass) => pass.total - pass.done));
    const waiting = Math.max(0, ...own.map(({ waiting }) => waiting));
    parked = own.reduce((sum, step) => sum + step.parked, 0);
    onProgress(Math.max(0, total - left - waiting), total);
    return left === 0 && waiting === 0;
  });
  return parked;
}
