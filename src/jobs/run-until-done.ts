import { type EmbeddingProgress, type SpacesToEmbed, spaceRoles } from '../domain/embedding/embed-step.ts';
import type { Step } from '../domain/jobs/step.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { EngineMaintenance } from '../domain/system/engine-maintenance.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { rest } from '../lib/throttle.ts';
import { JobWorker, newPaces } from './job-worker.ts';
import { changeSpacesJob } from './periodic-jobs.ts';

export interface DoWaitingDeps {
  readonly steps: readonly Step[];
  readonly spaces: SpacesToEmbed;
  readonly work: WorkStore;
  readonly failures: FailureReporter;
}

/**
 * Does the waiting work and the back-fills of these steps; a service may run at the same time.
 * @param onProgress called with the number of versions that went through all steps, and the number of all
 * @returns the number of versions given up after three tries
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

export interface RebuildVectorsDeps {
  readonly upkeep: { beginVectorRebuild(): Promise<void> };
  readonly maintenance: EngineMaintenance;
  readonly work: WorkStore;
  readonly vectorSpaces: SpacesToEmbed;
  readonly embedding: EmbeddingProgress;
  readonly failures: FailureReporter;
}

/**
 * Makes all vectors again in a new space and switches to it; a service may run at the same time. Continues a
 * rebuild that was interrupted.
 * @param onProgress called with the number of versions done, and the number of all
 * @throws if the configuration has no embedder
 */
export async function rebuildVectors(
  deps: RebuildVectorsDeps,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const { upkeep, maintenance, work, vectorSpaces, embedding, failures } = deps;
  await upkeep.beginVectorRebuild();
  const paces = newPaces();
  const periodic = [changeSpacesJob({ maintenance, paces })];
  const worker = new JobWorker({
    periodic,
    steps: { steps: [], spaces: vectorSpaces, work },
    failures,
    paces,
  });
  await workUntil(worker, async () => {
    const targets = (await embedding.spaces()).filter(({ isTarget }) => isTarget);
    const newest = spaceRoles.flatMap((role) => targets.findLast((space) => space.role === role) ?? []);
    if (newest.length === 0 || newest.some(({ state }) => state === 'dropping'))
      throw new Error('Another process gave the rebuild up.');
    const left = newest.filter(({ state, total }) => state !== 'serving' || total > 0);
    if (left.length === 0) return true;
    onProgress(
      left.reduce((sum, { done, waiting }) => sum + Math.max(0, done - waiting), 0),
      left.reduce((sum, { total }) => sum + total, 0),
    );
    return false;
  });
}

const lookEveryMs = 200;

/** Runs `worker` until `isDone`, polled every 200 ms, returns true or throws; then stops it. */
async function workUntil(worker: JobWorker, isDone: () => Promise<boolean>): Promise<void> {
  worker.start();
  try {
    while (!(await isDone())) await rest(lookEveryMs);
  } finally {
    await worker.stop();
  }
}
