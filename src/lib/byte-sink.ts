import { fstatSync, writeSync } from 'node:fs';

/**
 * Writes bytes, now or soon, then calls `done` with the number
 * that was written: fewer than all after a failure.
 */
export type ByteSink = (bytes: Buffer, done: (written: number) => void) => void;

type Stream = NodeJS.WritableStream & { readonly fd?: number };

/**
 * Writes to a stream and never throws. A file is written directly: its
 * stream reports a write that a full disk cut short as complete.
 */
export function sinkOf(stream: Stream): ByteSink {
  // Each write rejects with its own failure; an error event without a listener would end the process.
  stream.on('error', () => undefined);
  const { fd } = stream;
  if (fd !== undefined && fstatSync(fd).isFile()) return (bytes, done) => done(writeToFile(fd, bytes));
  return (bytes, done) => {
    stream.write(bytes, (error) => done(error ? 0 : bytes.length));
  };
}

function writeToFile(fd: number, bytes: Buffer): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch {
    // The caller counts what is missing.
  }
  return written;
}
