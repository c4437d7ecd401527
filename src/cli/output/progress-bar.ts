import cliProgress from 'cli-progress';
import type { OnProgress } from '../../storage/upkeep.ts';

/** Shows progress on standard error if that is a terminal. */
export async function withBar<T>(
  what: string,
  unit: string,
  run: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const bar = new cliProgress.SingleBar({
    format: `${what} {bar} {value} of {total} ${unit}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  let started = false;
  try {
    return await run((done, total) => {
      if (!started) bar.start(total, done);
      started = true;
      bar.update(done);
    });
  } finally {
    if (started) bar.stop();
  }
}
