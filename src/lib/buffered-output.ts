const flushIntervalMs = 200;
const bufferLengthMax = 32 * 1024;
/** Pino writes the level first: 50 is error, 60 is fatal. */
const urgent = /^\{"level":(50|60)/;

export interface LineOutput {
  write(line: string): void;
  flush(): void;
}

/**
 * Collects log lines and writes them together, at the latest after 200 ms, at once for errors and when the process
 * ends: a system call for each line took a tenth of the time of a small request.
 */
export function bufferedOutput(stream: NodeJS.WritableStream): LineOutput {
  let lines: string[] = [];
  let length = 0;
  const flush = () => {
    if (lines.length === 0) return;
    stream.write(lines.join(''));
    lines = [];
    length = 0;
  };
  setInterval(flush, flushIntervalMs).unref();
  process.once('exit', flush);
  return {
    flush,
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= bufferLengthMax || urgent.test(line)) flush();
    },
  };
}
