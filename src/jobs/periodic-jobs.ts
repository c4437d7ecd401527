import { type TraceStore, traceLifetimeMs, tracesPerUserMax } from '../domain/graph/graph-store.ts';
import { type IdempotencyStore, idempotencyLifetimeMs } from '../domain/shared/idempotency-store.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { EngineMaintenance, IdleWork, SlicedWork } from '../domain/system/engine-maintenance.ts';
import type { TopicMergeService } from '../domain/topics/topic-merge-service.ts';
import type { TrashService } from '../domain/trash/trash-service.ts';
import type { UnfinishedWork } from '../domain/users/user.ts';
import type { Clock } from '../lib/clock.ts';
import { type Pace, throttled } from '../lib/throttle.ts';
import type { Paces, PeriodicJob } from './job-worker.ts';

/** 320 MB of index in one run; the rest waits for the next pause of the writes. */
const mergeStepsMax = 10_000;

export interface PeriodicJobDeps {
  readonly clock: Clock;
  readonly trash: Pick<TrashService, 'eraseDue' | 'finishMoves'>;
  readonly topicMerges: Pick<TopicMergeService, 'finish'>;
  readonly users: {
    listUnfinished(work: UnfinishedWork): Promise<readonly UserRef[]>;
    nextRetired(ms: number, signal: AbortSignal): Promise<void>;
  };
  readonly idempotency: Pick<IdempotencyStore, 'prune'>;
  readonly traces: Pick<TraceStore, 'prune'>;
  readonly keys: { flush(): Promise<void> };
  readonly oauth: { prune(at: EpochMs): Promise<void> };
  readonly transfer: { eraseLeft(at: EpochMs, signal: AbortSignal): Promise<unknown> };
  readonly maintenance: EngineMaintenance;
  readonly paces: Paces;
  readonly webhookSender: { run(signal: AbortSignal): Promise<void> };
  /** Writes segments of the users' indexes. */
  readonly segmentWriter: SlicedWork;
}

/** Every periodic job of a serving process. */
export function periodicJobs(deps: PeriodicJobDeps): PeriodicJob[] {
  const { clock, users, transfer, keys, paces, webhookSender, maintenance } = deps;
  const { rebuildIndex, mergeSegments, updateStatistics, leading } = maintenance;
  const jobs: (PeriodicJob | undefined)[] = [
    ...jobsOfStore(deps).map((job) => ({ ...job, turn: leading })),
    // Begun at once by the process that was asked to remove a user.
    {
      name: 'user_removal',
      everyMs: HOUR_MS,
      run: (signal) => transfer.eraseLeft(clock.now(), signal),
      next: (ms, signal) => users.nextRetired(ms, signal),
    },
    // The delay of a message is this at most, in the middle half of it.
    { name: 'webhooks', everyMs: 1000, run: (signal) => webhookSender.run(signal) },
    { name: 'key_use', everyMs: 10_000, run: () => keys.flush() },
    // Each process has its own version of the analyser, and its own models.
    inSlices(rebuildIndex, paces.index, { name: 'analyzer_rebuild', everyMs: 5000 }),
    changeSpacesJob(deps),
    mergeSegments &&
      whenIdle(mergeSegments, { name: 'segment_merge', idleMs: 3000, stepsMax: mergeStepsMax }),
    updateStatistics && inSlices(updateStatistics, paces.index, { name: 'statistics', everyMs: 5000 }),
  ];
  return jobs.filter((job) => job !== undefined);
}

/** Jobs that go over the whole store: one process at a time has them. */
function jobsOfStore(deps: PeriodicJobDeps): PeriodicJob[] {
  const { clock, trash, topicMerges, users, idempotency, paces, maintenance } = deps;
  const { vacuumErased } = maintenance;
  const forgetAnswers = () => idempotency.prune(clock.now() - idempotencyLifetimeMs);
  const forgetTraces = () => deps.traces.prune(clock.now() - traceLifetimeMs, tracesPerUserMax);
  const finishing = (name: UnfinishedWork, finish: (user: UserRef) => Promise<unknown>): PeriodicJob => ({
    name,
    everyMs: MINUTE_MS,
    run: async () => forEachUser(await users.listUnfinished(name), finish),
  });
  const jobs: (PeriodicJob | undefined)[] = [
    { name: 'trash_expiry', everyMs: HOUR_MS, run: (signal) => trash.eraseDue(signal) },
    { name: 'idempotency_prune', everyMs: HOUR_MS, run: forgetAnswers },
    { name: 'oauth_expiry', everyMs: HOUR_MS, run: () => deps.oauth.prune(clock.now()) },
    { name: 'trace_expiry', everyMs: HOUR_MS, run: forgetTraces },
    // Requests finish theirs; a stop or a failure may have interrupted some.
    finishing('topic_merge', (user) => topicMerges.finish(user)),
    finishing('conversation_move', (user) => trash.finishMoves(user)),
    inSlices(maintenance.vectorSums, paces.index, { name: 'memory_vectors', everyMs: 5000 }),
    inSlices(deps.segmentWriter, paces.index, { name: 'index_segments', everyMs: 5000 }),
    // Rebuilding the keyword index takes a tenth of the time at most.
    vacuumErased && { name: 'vacuum', everyMs: 5000, restsPerRun: 9, run: vacuumErased },
  ];
  return jobs.filter((job) => job !== undefined);
}

/** The only periodic job that a rebuild of all vectors needs. */
export function changeSpacesJob({
  maintenance,
  paces,
}: Pick<PeriodicJobDeps, 'maintenance' | 'paces'>): PeriodicJob {
  return inSlices(maintenance.changeSpaces, paces.index, { name: 'space_build', everyMs: 2000 });
}

/** Acts for each user, also if it fails for some. @throws the first failure, after all users */
async function forEachUser(
  users: readonly UserRef[],
  act: (user: UserRef) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const user of users) await act(user).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** A job that works in short slices and rests as long as it blocked requests. */
function inSlices(work: SlicedWork, pace: Pace, job: Pick<PeriodicJob, 'name' | 'everyMs'>): PeriodicJob {
  const run = async (signal: AbortSignal) => {
    for (let more = true; more && !signal.aborted; ) {
      await pace.turn(signal);
      const slice = await work.slice(signal);
      pace.worked(slice.workedMs);
      more = slice.more;
    }
  };
  return { ...job, run, next: work.next?.bind(work) };
}

export interface IdleOptions extends Pick<PeriodicJob, 'name'> {
  /** Milliseconds without a write before the work begins. */
  readonly idleMs: number;
  /** Maximum of steps in one run. */
  readonly stepsMax: number;
}

/** A job that works in small steps while nothing is written, once after each burst of writes. */
export function whenIdle(work: IdleWork, { name, idleMs, stepsMax }: IdleOptions): PeriodicJob {
  let lastSeen: number | undefined;
  let doneAt: number | undefined;
  const run = async (signal: AbortSignal) => {
    const writes = work.writes();
    const isIdle = writes === lastSeen;
    lastSeen = writes;
    if (!isIdle || writes === doneAt) return;
    for (let steps = 0; steps < stepsMax; steps++) {
      if (!(await throttled(() => work.step(), signal))) break;
      if (signal.aborted || work.writes() !== writes) return;
    }
    doneAt = writes;
  };
  return { name, everyMs: idleMs, run };
}
