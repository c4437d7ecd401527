import cliProgress from 'cli-progress';
import { ApiClient, assertService, RequestAbandonedError, type ServiceAccess } from '../client/api-client.ts';
import type { Input, Reader, ReadOptions } from './readers/reader.ts';
import { Report } from './write/report.ts';
import { ImportService } from './write/service.ts';
import { Writer } from './write/writer.ts';

/** An input with the reader of its format. */
export interface Source {
  readonly input: Input;
  readonly reader: Reader;
  /** Of a source without files: its records, by which its progress is counted. */
  readonly records?: number;
}

interface ImportPlan {
  readonly sources: readonly Source[];
  readonly options: ReadOptions;
  /** Name of the import in lists. */
  readonly name: string;
  /** The import to go on with; undefined: a new one. */
  readonly importId?: string;
  readonly service: ServiceAccess;
  /** Ends the import early, in good order. */
  readonly signal: AbortSignal;
}

export interface ImportResult {
  readonly report: Report;
  /** Undefined if there was nothing to send. */
  readonly importId: string | undefined;
  /** Reason why it stopped before the end; another run continues. */
  readonly stopped: string | undefined;
}

/** Bytes of all files, or records. */
function totalOf(sources: readonly Source[]): ProgressTotal {
  const [{ records }] = sources;
  if (records !== undefined) return { count: records, unit: 'records' };
  const bytes = sources.flatMap(({ input }) => input.files).reduce((sum, { size }) => sum + size, 0);
  return { count: bytes, unit: 'bytes' };
}

/**
 * Imports inputs through the HTTP API. A later run knows stored records by their external ids.
 * @throws Error if it cannot begin (wrong server or key), or a file cannot be read
 */
export async function runImport({
  sources,
  options,
  name,
  importId,
  service: access,
  signal,
}: ImportPlan): Promise<ImportResult> {
  const api = new ApiClient(access, signal);
  await assertService(api);
  const report = new Report();
  const progress = startProgress(totalOf(sources));
  const service = new ImportService(api, { source: name, format: sources[0]?.reader.format ?? '' });
  const readOptions = { ...options, stored: (source: string) => service.stored(source) };
  service.importId = importId;
  let done = 0;
  let stopped: string | undefined;
  try {
    for (const { input, reader } of sources) {
      const source = reader.isOwn ? undefined : reader.format;
      const onNote = (at: string, text: string) => progress.note(`${at} ${text}`);
      const writer = new Writer({ service, report, source, since: options.since, onNote });
      try {
        for await (const record of reader.read(input, readOptions)) {
          await writer.add(record);
          if (record.kind !== 'read') continue;
          done += record.size;
          progress.update(done, report);
        }
        await writer.finish();
      } finally {
        await writer.close();
      }
    }
  } catch (error) {
    if (!(error instanceof RequestAbandonedError)) throw error;
    stopped = error.message;
  } finally {
    progress.stop();
  }
  return { report, importId: service.importId, stopped };
}

/** Shows the progress to people. */
interface Progress {
  /** So much of the total that it was started with. */
  update(done: number, report: Report): void;
  /** A line that stays. */
  note(line: string): void;
  stop(): void;
}

const lineEveryMs = 10_000;
const megabyte = 1_000_000;

/** The work to be done. */
interface ProgressTotal {
  readonly count: number;
  readonly unit: 'bytes' | 'records';
}

/** A bar on standard error if that is a terminal, else a line every ten seconds. */
function startProgress(total: ProgressTotal): Progress {
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
