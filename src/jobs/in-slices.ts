import type { SlicedWork } from '../domain/system/engine-maintenance.ts';
import type { Pace } from '../lib/throttle.ts';
import type { PeriodicJob } from './job-worker.ts';

/** A job that works in short slices, and rests as long as it kept requests waiting. */
export function inSlices(
  work: SlicedWork,
  pace: Pace,
  job: Pick<PeriodicJob, 'name' | 'everyMs'>,
): PeriodicJob {
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
