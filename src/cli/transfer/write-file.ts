import { toIso } from '../../domain/shared/time.ts';
import { version } from '../../lib/version.ts';
import type { Transfer } from '../../storage/transfer.ts';
import { withBar } from '../with-bar.ts';
import { type FileEnd, type FileFormat, formatVersion } from './file-format.ts';
import { FileWriter } from './file-writer.ts';

export interface FileRequest {
  readonly path: string;
  readonly format: FileFormat;
  /** Absent: all users, with their API keys. */
  readonly user?: string;
}

/** Writes users to a file, as of one point in time; a service may be running. */
export async function writeFile(transfer: Transfer, { path, format, user }: FileRequest): Promise<FileEnd> {
  const writer = await FileWriter.create(path, {
    format,
    version: formatVersion,
    schema: await transfer.schema(),
    memoryd: version,
    at: toIso(Date.now()),
  });
  try {
    await withBar('writing', 'rows', (onProgress) =>
      transfer.read({ user, onProgress }, (record) => writer.add(record)),
    );
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
