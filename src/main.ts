#!/usr/bin/env node
import { CommanderError } from 'commander';
import { program } from './cli/program.ts';

/** docs/cli.md: 0 done, 1 failed, 2 the command line is wrong. */
const exitFailed = 1;
const exitUsage = 2;

// The reader of our output may have closed (`| head`), or its disk be full: the command completes anyway.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.exitCode = exitFailed;
  process.stderr.write(`memoryd: what it prints cannot be written (${error.code})\n`);
});
// No output is left to report to.
process.stderr.on('error', () => undefined);

try {
  await (await program(process.argv.slice(2))).parseAsync();
} catch (error) {
  // Commander has printed its message or the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitUsage;
  else {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`memoryd: ${text}\n`);
    process.exitCode = exitFailed;
  }
}
