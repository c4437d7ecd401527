import { fstatSync, writeSync } from 'node:fs';

const flushIntervalMs = 200;
const bufferLengthMax = 32 * 1024;
/** Pino writes the level first: 50 is error, 60 is fatal. */
const urgent = /^\{"level":(50|60)/;
const newline = 0x0a;

export interface LineOutput {
  write(line: string): void;
  flush(): void;
  /** Lines lost since the start because they could not be written: a full disk, a closed pipe. */
  readonly dropped: number;
}

/**
 * Collects log lines and writes them together after 200 ms, or at once for errors and at the end of the
 * process: a system call for each line took a tenth of the time of a small request. Lines that cannot be
 * written are lost and counted; a line with their number precedes the next lines that can be written.
 */
export function bufferedOutput(stream: NodeJS.WritableStream): LineOutput {
  return new BufferedOutput(sinkOf(stream));
}

class BufferedOutput implements LineOutput {
  readonly #sink: ByteSink;
  #lines: string[] = [];
  #length = 0;
  #dropped = 0;
  /** Number of dropped lines in the last report that was written. */
  #reported = 0;
  /** Whether the last write ended in the middle of a line. */
  #isTorn = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    setInterval(() => this.flush(), flushIntervalMs).unref();
    process.once('exit', () => this.flush());
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= bufferLengthMax || urgent.test(line)) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    const dropped = this.#dropped;
    const front = (this.#isTorn ? '\n' : '') + (dropped > this.#reported ? reportOf(dropped) : '');
    const bytes = Buffer.from(front + lines);
    const frontLength = Buffer.byteLength(front);
    this.#sink(bytes, (written) => {
      if (written > 0) this.#isTorn = bytes[written - 1] !== newline;
      if (written >= frontLength) this.#reported = dropped;
      this.#dropped += linesIn(bytes.subarray(Math.max(written, frontLength)));
    });
  }
}

function reportOf(dropped: number): string {
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg: 'log lines were lost since the start: they could not be written' })}\n`;
}

/** Number of line ends in the bytes: a line counts even if only its end is among them, for it is torn. */
function linesIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === newline) count++;
  return count;
}

/**
 * Writes bytes, now or soon, then calls `done` with the number
 * that was written: fewer than all after a failure.
 */
type ByteSink = (bytes: Buffer, done: (written: number) => void) => void;

type Stream = NodeJS.WritableStream & { readonly fd?: number };

/**
 * Writes to a stream and never throws. A file is written directly: its
 * stream reports a write that a full disk cut short as complete.
 */
function sinkOf(stream: Stream): ByteSink {
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
    // The caller counts the missing bytes.
  }
  return written;
}
