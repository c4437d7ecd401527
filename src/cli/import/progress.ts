import cliProgress from 'cli-progress';
import type { Report } from './write/report.ts';

/** Shows the progress to people. */
export interface Progress {
  /** So much of the total that it was started with. */
  update(done: number, report: Report): void;
  /** A line that stays. */
  note(line: string): void;
  stop(): void;
}

const lineEveryMs = 10_000;
const megabyte = 1_000_000;

/** The work to be done. */
export interface ProgressTotal {
  readonly count: number;
  readonly unit: 'bytes' | 'records';
}

/** A bar on standard error if that is a terminal, else a line every ten seconds. */
export function startProgress(total: ProgressTotal): Progress {
  return process.stderr.isTTY ? barProgress(total) : lineProgress(total);
}

/** Megabytes or records a second since the start. */
function rateSince(startedAt: number, done: number, { unit }: ProgressTotal): string {
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  if (unit === 'records') return `${Math.round(done / seconds)} records/s`;
  return `${(done / megabyte / seconds).toFixed(1)} MB/s`;
}

function barProgress(total: ProgressTotal): Progress {
  const startedAt = performance.now();
  // Only the bars of a group can have lines printed above them.
  const bars = new cliProgress.MultiBar({
    format: 'importing {bar} {percentage}%, {rate}, {eta_formatted} left; {counts}',
    stream: process.stderr,
    hideCursor: true,
    fps: 5,
  });
  const bar = bars.create(total.count, 0, { counts: '', rate: '' });
  return {
    update: (done, report) =>
      bar.update(Math.min(done, total.count), {
        counts: report.describe(),
        rate: rateSince(startedAt, done, total),
      }),
    note: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
}

function lineProgress(total: ProgressTotal): Progress {
  const startedAt = performance.now();
  let nextAt = startedAt + lineEveryMs;
  const note = (line: string) => void process.stderr.write(`${line}\n`);
  return {
    update(done, report) {
      if (performance.now() < nextAt) return;
      nextAt = performance.now() + lineEveryMs;
      const share = Math.floor((100 * done) / Math.max(1, total.count));
      const secondsLeft = Math.ceil(
        ((performance.now() - startedAt) / 1000) * (total.count / Math.max(1, done) - 1),
      );
      note(`${share}%, ${rateSince(startedAt, done, total)}, ${secondsLeft} s left: ${report.describe()}`);
    },
    note,
    stop: () => undefined,
  };
}
