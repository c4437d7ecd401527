import { type TraceStore, traceLifetimeMs, tracesPerUserMax } from '../domain/graph/graph-store.ts';
import { type IdempotencyStore, idempotencyLifetimeMs } from '../domain/shared/idempotency-store.ts';
import { type EpochMs, HOUR_MS } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { EngineMaintenance, SlicedWork } from '../domain/system/engine-maintenance.ts';
import type { TopicMergeService } from '../domain/topics/topic-merge-service.ts';
import type { TrashService } from '../domain/trash/trash-service.ts';
import type { Clock } from '../lib/clock.ts';
import { inSlices } from './in-slices.ts';
import type { Paces, PeriodicJob } from './job-worker.ts';
import { whenIdle } from './when-idle.ts';

/** 320 MB of index in one go; what is left waits for the next pause of the writes. */
const mergeStepsMax = 10_000;

export interface PeriodicJobDeps {
  readonly clock: Clock;
  readonly trash: Pick<TrashService, 'eraseDue' | 'finishMoves'>;
  readonly topicMerges: Pick<TopicMergeService, 'finish'>;
  readonly users: {
    list(): Promise<readonly UserRef[]>;
    nextRetired(ms: number, signal: AbortSignal): Promise<void>;
  };
  readonly idempotency: Pick<IdempotencyStore, 'prune'>;
  readonly traces: Pick<TraceStore, 'prune'>;
  readonly keys: { flush(): Promise<void> };
  readonly transfer: { eraseLeft(at: EpochMs, signal: AbortSignal): Promise<unknown> };
  readonly maintenance: EngineMaintenance;
  readonly paces: Paces;
  /** Writes segments of the users' indexes. */
  readonly segmentWriter: SlicedWork;
}

/** Every periodic job of a serving process. */
export function periodicJobs(deps: PeriodicJobDeps): PeriodicJob[] {
  const { clock, trash, topicMerges, users, idempotency, keys, transfer, paces } = deps;
  const { rebuildIndex, mergeSegments, updateStatistics, updateHnswIndexes, vacuumErased } = deps.maintenance;
  const forgetAnswers = () => idempotency.prune(clock.now() - idempotencyLifetimeMs);
  const forgetTraces = () => deps.traces.prune(clock.now() - traceLifetimeMs, tracesPerUserMax);
  const finishMerges = () => forEachUser(users, (user) => topicMerges.finish(user));
  const finishMoves = () => forEachUser(users, (user) => trash.finishMoves(user));
  const jobs: (PeriodicJob | undefined)[] = [
    { name: 'trash_expiry', everyMs: HOUR_MS, run: (signal) => trash.eraseDue(signal) },
    { name: 'idempotency_prune', everyMs: HOUR_MS, run: forgetAnswers },
    { name: 'trace_expiry', everyMs: HOUR_MS, run: forgetTraces },
    {
      name: 'user_removal',
      everyMs: HOUR_MS,
      run: (signal) => transfer.eraseLeft(clock.now(), signal),
      next: (ms, signal) => users.nextRetired(ms, signal),
    },
    // Of merges and moves only those that a stop or a failure interrupted are left to a job.
    { name: 'topic_merge', everyMs: HOUR_MS, run: finishMerges },
    { name: 'conversation_move', everyMs: HOUR_MS, run: finishMoves },
    { name: 'key_use', everyMs: 10_000, run: () => keys.flush() },
    inSlices(rebuildIndex, paces.index, { name: 'analyzer_rebuild', everyMs: 5000 }),
    changeSpacesJob(deps),
    inSlices(deps.maintenance.vectorSums, paces.index, { name: 'memory_vectors', everyMs: 5000 }),
    inSlices(deps.segmentWriter, paces.index, { name: 'index_segments', everyMs: 5000 }),
    mergeSegments &&
      whenIdle(mergeSegments, { name: 'segment_merge', idleMs: 3000, stepsMax: mergeStepsMax }),
    updateStatistics && inSlices(updateStatistics, paces.index, { name: 'statistics', everyMs: 5000 }),
    updateHnswIndexes && { name: 'hnsw_index', everyMs: 5000, run: updateHnswIndexes },
    // Rebuilding the keyword index takes a tenth of the time at most.
    vacuumErased && { name: 'vacuum', everyMs: 5000, restsPerRun: 9, run: vacuumErased },
  ];
  return jobs.filter((job) => job !== undefined);
}

/** The one job that a rebuild of all vectors needs. */
export function changeSpacesJob({
  maintenance,
  paces,
}: Pick<PeriodicJobDeps, 'maintenance' | 'paces'>): PeriodicJob {
  return inSlices(maintenance.changeSpaces, paces.index, { name: 'space_build', everyMs: 2000 });
}

/** A user for whom it fails does not keep it from the others. @throws the first failure, at the end */
async function forEachUser(
  users: Pick<PeriodicJobDeps['users'], 'list'>,
  act: (user: UserRef) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const user of await users.list()) await act(user).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
