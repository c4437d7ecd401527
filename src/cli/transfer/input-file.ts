import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Standard input as the command line names it. */
export const standardStream = '-';

/** Input of a command: a file that can be read from its beginning more than once. */
export interface InputFile {
  readonly path: string;
  /** Name in messages. */
  readonly name: string;
  /** True for a copy of a stream, which is removed at the end. */
  readonly isCopy: boolean;
}

/**
 * Runs a command on a file. `-`, and a stream by another name (`/dev/stdin`,
 * a named pipe, `<(…)` of a shell), is first copied to a file of mode 0600
 * in the folder for temporary files: files are read twice, streams once.
 * @throws Error if the file does not exist, or is a folder
 */
export async function withInputFile<T>(given: string, run: (file: InputFile) => Promise<T>): Promise<T> {
  if (!isStream(given)) return run({ path: given, name: given, isCopy: false });
  const folder = mkdtempSync(join(tmpdir(), 'memoryd-input-'));
  try {
    const path = join(folder, 'input');
    const stream = isStandardInput(given) ? process.stdin : createReadStream(given);
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
    return await run({ path, name: isStandardInput(given) ? 'standard input' : given, isCopy: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A socket could not be opened by its name in /dev. */
function isStandardInput(given: string): boolean {
  return given === standardStream || given === '/dev/stdin';
}

function isStream(given: string): boolean {
  if (isStandardInput(given)) return true;
  const stats = statSync(given, { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no file ${given}.`);
  if (stats.isDirectory()) {
    throw new Error(
      `${given} is a folder: name a file in it, or several as one stream, such as \`cat ${given}/*.jsonl | npx memoryd import -\`.`,
    );
  }
  return !stats.isFile() || given.startsWith('/dev/');
}
