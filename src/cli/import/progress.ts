import cliProgress from 'cli-progress';

export interface Counts {
  imported: number;
  refused: number;
  skipped: number;
  /** Left in the trash, since their user deleted them here. */
  deletedHere: number;
  /** The first 1,000. */
  readonly refusals: { readonly at: string; readonly reason: string }[];
  /** Number of imported items by each field that the service does not know. */
  readonly ignored: Map<string, number>;
}

/** Shows the progress to people. */
export interface Progress {
  /** `doneSize` of the size that it was started with. */
  update(doneSize: number, counts: Counts): void;
  /** A line that stays. */
  note(line: string): void;
  stop(): void;
}

const fieldsShownMax = 20;
const lineEveryMs = 10_000;

export function describeCounts({ imported, refused, skipped, deletedHere }: Counts): string {
  const deleted = deletedHere > 0 ? `, deleted here ${deletedHere}` : '';
  return `imported ${imported}, refused ${refused}, skipped ${skipped}${deleted}`;
}

/** Undefined if no field was ignored. */
export function describeIgnored({ ignored }: Counts): string | undefined {
  if (ignored.size === 0) return undefined;
  const fields = [...ignored].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} (${count})`);
  const shown = fields.length > fieldsShownMax ? [...fields.slice(0, fieldsShownMax), '…'] : fields;
  return `ignored fields, unknown to the service: ${shown.join(', ')}. What is to be kept belongs into metadata.`;
}

/** A bar on standard error if that is a terminal, else a line every ten seconds. */
export function startProgress(totalSize: number): Progress {
  return process.stderr.isTTY ? barProgress(totalSize) : lineProgress(totalSize);
}

function barProgress(totalSize: number): Progress {
  // Only the bars of a group can have lines printed above them.
  const bars = new cliProgress.MultiBar({
    format: 'importing {bar} {percentage}%, {eta_formatted} left; {counts}',
    stream: process.stderr,
    hideCursor: true,
    fps: 5,
  });
  const bar = bars.create(totalSize, 0, { counts: '' });
  return {
    update: (doneSize, counts) =>
      bar.update(Math.min(doneSize, totalSize), { counts: describeCounts(counts) }),
    note: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
}

function lineProgress(totalSize: number): Progress {
  let nextAt = performance.now() + lineEveryMs;
  const note = (line: string) => void process.stderr.write(`${line}\n`);
  return {
    update(doneSize, counts) {
      if (performance.now() < nextAt) return;
      nextAt = performance.now() + lineEveryMs;
      note(`${Math.floor((100 * doneSize) / Math.max(1, totalSize))}%: ${describeCounts(counts)}`);
    },
    note,
    stop: () => undefined,
  };
}
