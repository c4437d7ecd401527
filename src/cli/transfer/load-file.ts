import { statSync } from 'node:fs';
import type { Transfer, TransferRecord, UserHead } from '../../storage/transfer.ts';
import type { OnProgress } from '../../storage/upkeep.ts';
import { withBar } from '../output/progress-bar.ts';
import type { FileFormat, FileHead } from './file-format.ts';
import { assertReadable, FileRefusedError, readRecords } from './read-file.ts';

interface FileToLoad {
  readonly path: string;
  /** Name in messages. */
  readonly name: string;
  readonly head: FileHead;
  readonly format: FileFormat;
  /** New name of the one user of an export; absent: the name in the file. */
  readonly as?: string;
}

interface Loaded {
  readonly rows: number;
  /** The user that got the records of an export. */
  readonly user?: string;
}

/**
 * Checks the whole file before storing it.
 * @throws FileRefusedError, or 409 if the user of an export already has records
 */
export async function loadFile(transfer: Transfer, file: FileToLoad): Promise<Loaded> {
  const { name, head, format, as } = file;
  if (head.format !== format) {
    const use = head.format === 'memoryd-export' ? 'npx memoryd import FILE' : 'npx memoryd restore FILE';
    throw new FileRefusedError(name, 1, `it is a ${head.format}: use \`${use}\``);
  }
  assertReadable(name, head, await transfer.schema());
  if (as !== undefined) await transfer.assertEmpty(as);
  const { rows, names } = await withBar('checking', 'bytes', (onProgress) =>
    checkFile(transfer, file, onProgress),
  );
  const user = format === 'memoryd-export' ? (as ?? names[0]) : undefined;
  if (user !== undefined) await transfer.assertEmpty(user);
  await withBar('storing', 'bytes', (onProgress) =>
    transfer.load(withProgress(file, onProgress), { as: user, at: Date.now() }),
  );
  return { rows, user };
}

/** @returns how many rows it has, and the names of its users */
async function checkFile(
  transfer: Transfer,
  file: FileToLoad,
  onProgress: OnProgress,
): Promise<{ rows: number; names: string[] }> {
  const { name, format } = file;
  const isExport = format === 'memoryd-export';
  const check = await transfer.newCheck({ withKeys: !isExport });
  const names: string[] = [];
  let rows = 0;
  let last = 1;
  for await (const { line, value } of counted(file, onProgress)) {
    last = line;
    const wrong = check.check(value);
    if (wrong !== undefined) throw new FileRefusedError(name, line, wrong);
    if ('user' in value) names.push((value.user as UserHead).name);
    else rows++;
    if (isExport && names.length > 1) throw new FileRefusedError(name, line, 'an export has one user');
  }
  const [lacking] = check.end();
  if (lacking !== undefined) throw new FileRefusedError(name, last, lacking);
  if (isExport && names.length === 0) throw new FileRefusedError(name, 2, 'there is no user in it');
  return { rows, names };
}

type ReadFile = Pick<FileToLoad, 'path' | 'name'>;

async function* counted({ path, name }: ReadFile, onProgress: OnProgress): ReturnType<typeof readRecords> {
  const size = statSync(path).size;
  let done = 0;
  for await (const record of readRecords(path, name)) {
    done += record.length;
    onProgress(done, size);
    yield record;
  }
}

async function* withProgress(file: ReadFile, onProgress: OnProgress): AsyncGenerator<TransferRecord> {
  for await (const { value } of counted(file, onProgress)) yield value as unknown as TransferRecord;
}
