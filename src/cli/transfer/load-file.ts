import { statSync } from 'node:fs';
import type { Transfer, TransferRecord, UserHead } from '../../storage/transfer.ts';
import type { OnProgress } from '../../storage/upkeep.ts';
import { withBar } from '../with-bar.ts';
import type { FileFormat, FileHead } from './file-format.ts';
import { assertReadable, FileRefusedError, readRecords } from './file-reader.ts';

export interface FileToLoad {
  readonly path: string;
  readonly head: FileHead;
  readonly format: FileFormat;
  /** Whose name the one user of an export gets; absent: the name in the file. */
  readonly as?: string;
}

export interface Loaded {
  readonly rows: number;
  /** Whose records an export became. */
  readonly user?: string;
}

/**
 * Reads the whole file once before anything is stored, and then stores it.
 * @throws FileRefusedError, or 409 where an export would go to a user who has records
 */
export async function loadFile(transfer: Transfer, file: FileToLoad): Promise<Loaded> {
  const { path, head, format, as } = file;
  if (head.format !== format) {
    const use = head.format === 'memoryd-export' ? 'memoryd import FILE' : 'memoryd restore FILE';
    throw new FileRefusedError(path, 1, `it is a ${head.format}: use \`${use}\``);
  }
  assertReadable(path, head, await transfer.schema());
  if (as !== undefined) await transfer.assertEmpty(as);
  const { rows, names } = await withBar('checking', 'bytes', (onProgress) =>
    checkFile(transfer, file, onProgress),
  );
  const user = format === 'memoryd-export' ? (as ?? names[0]) : undefined;
  if (user !== undefined) await transfer.assertEmpty(user);
  await withBar('storing', 'bytes', (onProgress) =>
    transfer.load(withProgress(path, onProgress), { as: user, at: Date.now() }),
  );
  return { rows, user };
}

/** @returns how many rows it has, and the names of its users */
async function checkFile(
  transfer: Transfer,
  { path, format }: FileToLoad,
  onProgress: OnProgress,
): Promise<{ rows: number; names: string[] }> {
  const isExport = format === 'memoryd-export';
  const check = await transfer.newCheck({ withKeys: !isExport });
  const names: string[] = [];
  let rows = 0;
  let last = 1;
  for await (const { line, value } of counted(path, onProgress)) {
    last = line;
    const wrong = check.check(value);
    if (wrong !== undefined) throw new FileRefusedError(path, line, wrong);
    if ('user' in value) names.push((value.user as UserHead).name);
    else rows++;
    if (isExport && names.length > 1) throw new FileRefusedError(path, line, 'an export has one user');
  }
  const lacking = check.end();
  if (lacking !== undefined) throw new FileRefusedError(path, last, lacking);
  if (isExport && names.length === 0) throw new FileRefusedError(path, 2, 'there is no user in it');
  return { rows, names };
}

async function* counted(path: string, onProgress: OnProgress): ReturnType<typeof readRecords> {
  const size = statSync(path).size;
  let done = 0;
  for await (const record of readRecords(path)) {
    done += record.length;
    onProgress(done, size);
    yield record;
  }
}

async function* withProgress(path: string, onProgress: OnProgress): AsyncGenerator<TransferRecord> {
  for await (const { value } of counted(path, onProgress)) yield value as unknown as TransferRecord;
}
