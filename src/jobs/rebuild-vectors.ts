import { type EmbeddingProgress, type SpacesToEmbed, spaceRoles } from '../domain/embedding/embed-step.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { EngineMaintenance } from '../domain/system/engine-maintenance.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { JobWorker, newPaces } from './job-worker.ts';
import { changeSpacesJob } from './periodic-jobs.ts';
import { workUntil } from './work-until.ts';

export interface RebuildVectorsDeps {
  readonly upkeep: { beginVectorRebuild(): Promise<void> };
  readonly maintenance: EngineMaintenance;
  readonly work: WorkStore;
  readonly vectorSpaces: SpacesToEmbed;
  readonly embedding: EmbeddingProgress;
  readonly failures: FailureReporter;
}

/**
 * Makes all vectors again in a space of their own, together with a service that may be running, and switches to it.
 * What was begun goes on where it is left.
 * @param onProgress is called with how many of how many versions are done
 * @throws where the configuration asks for no vectors
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
