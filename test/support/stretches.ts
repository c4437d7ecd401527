import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Where Linux counts the processor time of the thread that asks, in ns. */
const threadTimes = '/proc/thread-self/schedstat';

/** Processor time of this thread in ms; of the process, or the time that passed, where the system does not count it. */
function processorMs(): number {
  try {
    return Number(readFileSync(threadTimes, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    // Not on Linux: both are upper bounds of what the thread takes.
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}

/**
 * The longest that another user's request would wait for `act`: the most processor time, in ms, that this thread takes
 * between two turns of the event loop. What the machine gives to others does not count.
 */
async function longestStretch(act: () => Promise<unknown>): Promise<number> {
  await nextTurn();
  let isDone = false;
  const done = act().finally(() => {
    isDone = true;
  });
  // It is thrown below, a turn later.
  done.catch(() => undefined);
  let longest = 0;
  for (let before = processorMs(); !isDone; ) {
    await nextTurn();
    const now = processorMs();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await done;
  return longest;
}

/** The shortest of up to twelve tries: a collection of garbage, or code that is compiled, comes in one of them. */
export async function leastStretch(
  act: (attempt: number) => Promise<unknown>,
  enough: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 12 && least > enough; attempt++)
    least = Math.min(least, await longestStretch(() => act(attempt)));
  return least;
}
