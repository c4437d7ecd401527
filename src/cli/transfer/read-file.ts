import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Line, linesOf } from '../../lib/async.ts';
import { type FileEnd, type FileHead, formatVersion, fromLine, lineBytesMax } from './file-format.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The file is invalid; the message names the line. */
export class FileRefusedError extends Error {
  constructor(name: string, line: number, reason: string) {
    super(`${name}, line ${line}: ${reason}. Nothing was stored.`);
    this.name = 'FileRefusedError';
  }
}

interface NumberedValue {
  readonly line: number;
  readonly value: Record<string, unknown>;
  /** Bytes in the file. */
  readonly length: number;
}

/**
 * The first line, or undefined if the file is of another kind.
 * @param name of the file in messages
 * @throws FileRefusedError, or an error if it cannot be read
 */
export async function readHead(path: string, name = path): Promise<FileHead | undefined> {
  for await (const line of readLines(path, lineBytesMax)) {
    const text = line.bytes?.toString('utf8') ?? '';
    if (!/^\{"format":"memoryd-(export|backup)",/.test(text)) return undefined;
    return parseLine(name, line) as unknown as FileHead;
  }
  return undefined;
}

/**
 * The records of a file, each checked against `head` and
 * the sums; the last line is checked after all are read.
 * @throws FileRefusedError
 */
export async function* readRecords(path: string, name = path): AsyncGenerator<NumberedValue> {
  const hash = createHash('sha256');
  const rows: Record<string, number> = {};
  let users = 0;
  let lines = 0;
  let end: FileEnd | undefined;
  for await (const line of readLines(path, lineBytesMax)) {
    const refuse = (reason: string) => new FileRefusedError(name, line.number, reason);
    if (end) throw refuse('it comes after the end');
    const value = parseLine(name, line);
    if ('end' in value) {
      end = value.end as FileEnd;
      const wrong = wrongEnd(end, { lines, users, rows, sha256: hash.digest('hex') });
      if (wrong !== undefined) throw refuse(wrong);
      continue;
    }
    hash.update(line.bytes as Buffer).update('\n');
    lines = line.number;
    if (line.number === 1) continue;
    if ('user' in value) users++;
    else rows[String(value.table)] = (rows[String(value.table)] ?? 0) + 1;
    yield { line: line.number, value, length: line.length };
  }
  if (!end) throw new FileRefusedError(name, lines, 'the file ends here, it was cut off');
}

function parseLine(name: string, { number, bytes }: Line): Record<string, unknown> {
  const refuse = (reason: string) => new FileRefusedError(name, number, reason);
  if (!bytes) throw refuse(`it is longer than ${lineBytesMax} bytes`);
  try {
    return fromLine(decoder.decode(bytes));
  } catch (error) {
    throw refuse((error as Error).message);
  }
}

function wrongEnd(end: FileEnd, found: FileEnd): string | undefined {
  if (end.lines !== found.lines) return `the file has ${found.lines} lines before this one, not ${end.lines}`;
  if (end.sha256 !== found.sha256) return 'lines before it were changed (sha256)';
  if (end.users !== found.users || !sameCounts(end.rows, found.rows))
    return 'the rows are not as many as it says';
  return undefined;
}

function sameCounts(a: FileEnd['rows'], b: FileEnd['rows']): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}

/** @throws FileRefusedError if this program does not support the version of lines or tables */
export function assertReadable(name: string, head: FileHead, schema: number): void {
  const refuse = (reason: string) => new FileRefusedError(name, 1, reason);
  if (head.version !== formatVersion)
    throw refuse(`its lines are of version ${head.version}, this memoryd reads ${formatVersion}`);
  if (head.schema !== schema) {
    throw refuse(
      `it was written by memoryd ${head.memoryd} from tables of version ${head.schema}; this store has ${schema}. Load it with that memoryd and update the store`,
    );
  }
}

/** Reads a file line by line; at most one line of up to `lineBytesMax` bytes is held at a time. */
async function* readLines(path: string, lineBytesMax: number): AsyncGenerator<Line> {
  const chunks = createReadStream(path, { highWaterMark: 256 * 1024 });
  for await (const lines of linesOf(chunks, lineBytesMax)) yield* lines;
}
