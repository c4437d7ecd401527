import type { IdleWork } from '../domain/system/engine-maintenance.ts';
import { throttled } from '../lib/throttle.ts';
import type { PeriodicJob } from './job-worker.ts';

export interface IdleOptions extends Pick<PeriodicJob, 'name'> {
  /** Milliseconds without a write after which the work begins. */
  readonly idleMs: number;
  /** Steps in a row at most. */
  readonly stepsMax: number;
}

/** A job that works in small steps when nothing is being written, once after each burst of writes. */
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
