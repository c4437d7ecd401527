import { createReadStream } from 'node:fs';

export interface Line {
  /** From 1, empty lines counted. */
  readonly number: number;
  /** Without its end; undefined if the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Bytes in the file, its end included. */
  readonly length: number;
}

const newline = 0x0a;

/** Reads a file line by line; at most one line of up to `lineBytesMax` bytes is held at a time. */
export async function* readLines(path: string, lineBytesMax: number): AsyncGenerator<Line> {
  let number = 0;
  let length = 0;
  let pieces: Buffer[] = [];
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length <= lineBytesMax) pieces.push(piece);
    else pieces = [];
  };
  const finish = (endLength: number): Line => {
    const bytes = length <= lineBytesMax ? Buffer.concat(pieces) : undefined;
    const line = { number: ++number, bytes, length: length + endLength };
    length = 0;
    pieces = [];
    return line;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const buffer = chunk as Buffer;
    let from = 0;
    for (let end = buffer.indexOf(newline); end !== -1; end = buffer.indexOf(newline, from)) {
      take(buffer.subarray(from, end));
      yield finish(1);
      from = end + 1;
    }
    take(buffer.subarray(from));
  }
  if (length > 0) yield finish(0);
}
