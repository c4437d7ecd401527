import type { WriteTimes } from '../../../domain/jobs/work-store.ts';

/**
 * Times a transaction from now on.
 * @param isServer whether the database is another process, for which this one waits
 */
export function timeWrite(isServer: boolean): () => WriteTimes {
  const began = performance.now();
  const loop = performance.eventLoopUtilization();
  return () => {
    const keptOffMs = performance.now() - began;
    // While the event loop serves others, a server may have answered long ago; an embedded database works in the loop itself.
    const workedMs = isServer ? performance.eventLoopUtilization(loop).idle : keptOffMs;
    return { keptOffMs, workedMs };
  };
}
