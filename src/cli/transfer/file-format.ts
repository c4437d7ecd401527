import { crc32 } from 'node:zlib';
import { parseJson } from '../../lib/json.ts';

/** Content of a file: one user, or a whole store with its keys. */
export type FileFormat = 'memoryd-export' | 'memoryd-backup';

export interface FileHead {
  readonly format: FileFormat;
  /** Version of the format of the lines. */
  readonly version: number;
  /** Version of the schema of the tables. */
  readonly schema: number;
  /** The program that wrote it. */
  readonly memoryd: string;
  readonly at: string;
}

export interface FileEnd {
  /** Lines before this one. */
  readonly lines: number;
  readonly users: number;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Hash of all bytes before this line. */
  readonly sha256: string;
}

export const formatVersion = 1;
/** A row is as long as the body it came in: 100 MiB at the highest `MEMORYD_BODY_BYTES_MAX`. */
export const lineBytesMax = 256 * 1024 * 1024;

const checkMark = ',"crc":';
const checkLengthMax = checkMark.length + '4294967295}'.length;

/** A line ends with a sum of itself, so that a damaged one can be named. */
export function toLine(value: object): string {
  const text = JSON.stringify(value).slice(0, -1);
  return `${text}${checkMark}${crc32(text)}}`;
}

/** @throws Error naming the fault of the line */
export function fromLine(line: string): Record<string, unknown> {
  const at = line.lastIndexOf(checkMark);
  const sum = line.slice(at + checkMark.length, -1);
  if (at < 0 || line.length - at > checkLengthMax || !line.endsWith('}') || !/^\d+$/.test(sum))
    throw new Error('it is cut off, or no line of an export');
  const text = line.slice(0, at);
  if (crc32(text) !== Number(sum)) throw new Error('it was changed since it was written');
  try {
    return parseJson(`${text}}`) as Record<string, unknown>;
  } catch {
    // The parser's message does not explain the fault of the line.
    throw new Error('it is not JSON, or nested too deeply');
  }
}
