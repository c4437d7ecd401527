import { ApiClient, assertService, RequestAbandonedError, type ServiceAccess } from '../client/api-client.ts';
import { type ProgressTotal, startProgress } from './progress.ts';
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
