import type { WriteTimes } from '../../../domain/jobs/work-store.ts';
import type { SqlDriver } from '../sql-driver.ts';

type WriteBody = Parameters<SqlDriver['writeOf']>[1];

/** Writes in a transaction of the user, timed from the start of `body` to the commit. */
export async function timedWriteOf(
  { writeOf, isShared }: Pick<SqlDriver, 'writeOf' | 'isShared'>,
  userId: number,
  body: WriteBody,
): Promise<WriteTimes> {
  let readTimes = timeWrite(isShared);
  await writeOf(userId, (...given) => {
    readTimes = timeWrite(isShared);
    return body(...given);
  });
  return readTimes();
}

/**
 * Starts to time a transaction.
 * @param isServer whether the database is another process, for which this one waits
 */
function timeWrite(isServer: boolean): () => WriteTimes {
  const began = performance.now();
  const loop = performance.eventLoopUtilization();
  return () => {
    const passedMs = performance.now() - began;
    // An embedded database works in the loop itself, and takes one write after another.
    if (!isServer) return { keptOffMs: passedMs, workedMs: passedMs };
    const { active, idle } = performance.eventLoopUtilization(loop);
    // A server may have responded long before a busy event loop sees it. Its transaction keeps only that user's writes waiting.
    return { keptOffMs: Math.min(active, passedMs), workedMs: idle };
  };
}
