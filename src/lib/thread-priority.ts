import { constants, setPriority } from 'node:os';

/**
 * Gives the thread that calls it less of a processor than those that serve requests. Linux sets it for that thread alone;
 * elsewhere it would slow all threads, so nothing is changed there.
 */
export function comeAfterRequests(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may refuse it: the work then has the priority of requests, and is right all the same.
  }
}
