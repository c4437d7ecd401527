import cliProgress from 'cli-progress';
import type { Report } from './write/report.ts';

/** Shows the progress to people. */
export interface Progress {
  /** Bytes of the total that it was started with. */
  update(doneBytes: number, report: Report): void;
  /** A line that stays. */
  note(line: string): void;
  stop(): void;
}

const lineEveryMs = 10_000;
const megabyte = 1_000_000;

/** A bar on standard error if that is a terminal, else a line every ten seconds. */
export function startProgress(totalBytes: number): Progress {
  return process.stderr.isTTY ? barProgress(totalBytes) : lineProgress(totalBytes);
}

/** Megabytes a second since the start. */
function rateSince(startedAt: number, doneBytes: number): string {
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  return `${(doneBytes / megabyte / seconds).toFixed(1)} MB/s`;
}

function barProgress(totalBytes: number): Progress {
  const startedAt = performance.now();
  // Only the bars of a group can have lines printed above them.
  const bars = new cliProgress.MultiBar({
    format: 'importing {bar} {percentage}%, {rate}, {eta_formatted} left; {counts}',
    stream: process.stderr,
    hideCursor: true,
    fps: 5,
  });
  const bar = bars.create(totalBytes, 0, { counts: '', rate: '' });
  return {
    update: (doneBytes, report) =>
      bar.update(Math.min(doneBytes, totalBytes), {
        counts: report.describe(),
        rate: rateSince(startedAt, doneBytes),
      }),
    note: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
}

function lineProgress(totalBytes: number): Progress {
  const startedAt = performance.now();
  let nextAt = startedAt + lineEveryMs;
  const note = (line: string) => void process.stderr.write(`${line}\n`);
  return {
    update(doneBytes, report) {
      if (performance.now() < nextAt) return;
      nextAt = performance.now() + lineEveryMs;
      const share = Math.floor((100 * doneBytes) / Math.max(1, totalBytes));
      const secondsLeft = Math.ceil(
        ((performance.now() - startedAt) / 1000) * (totalBytes / Math.max(1, doneBytes) - 1),
      );
      note(`${share}%, ${rateSince(startedAt, doneBytes)}, ${secondsLeft} s left: ${report.describe()}`);
    },
    note,
    stop: () => undefined,
  };
}
